/** A skill that keeps a turn to two tools. */
export const skill = `---
name: minutes
description: How minutes of a meeting are written.
allowed-tools: file_write time_now
---
Decisions first, one line each.
`;

/** The secret of the channel. */
export const deskSecret = 'desk-of-the-recorded-team';

/** A lead who may do a little of everything and starts the others.
 * @param server path of a tool server that does not answer
 * @param denied what a newer config takes away */
export const recordedConfig = (server: string, denied: readonly string[] = []): string => `
[agents.lead]
provider = "local"
risk_profile = "asking"
runtime_profile = "short"
mcp_bundles = ["count"]
skill_bundles = ["writing"]
delegates = [{ agent = "helper", mode = "bounded" }, { agent = "free", mode = "independent" }]
channels = ["webhook.desk"]
[agents.lead.memory]
backend = "sqlite"
[agents.helper]
provider = "local"
risk_profile = "looking"
runtime_profile = "short"
[agents.free]
provider = "local"
risk_profile = "looking"
runtime_profile = "short"

[risk_profiles.asking]
autonomy = "supervised"
[risk_profiles.asking.tools]
allowed = ["file_list", "file_read", "file_write", "file_edit", "time_now", "memory_store", "memory_recall", "skill_read", "delegate", "spawn", "message_peer", "mcp:count/*"]
denied = [${denied.map((tool) => `"${tool}"`).join(', ')}]
[risk_profiles.asking.approval]
auto_approve = [${denied.includes('file_edit') ? '' : '"file_edit", '}"time_now", "memory_*", "skill_read", "delegate", "spawn", "message_peer", "mcp:count/*"]
route = { on_no_approver = "queue" }
timeout_secs = 900
[risk_profiles.asking.delegation]
mode = "allow"
spawn = true
[risk_profiles.looking]
autonomy = "read_only"
[risk_profiles.looking.tools]
allowed = ["file_list", "file_read", "time_now"]

[runtime_profiles.short.budgets]
max_tool_iterations = 6
max_actions_per_hour = "unlimited"

[skill_bundles.writing]
directory = "skills"

[sops.release]
triggers = ["manual"]
[[sops.release.steps]]
name = "draft"
agent = "helper"
prompt = "count {{input}}"
[[sops.release.steps]]
name = "check"
agent = "lead"
prompt = "look around after {{steps.draft}}"
gate = "approval"

[channels.webhook.desk]
secret = { env = "RECORDED_DESK_SECRET" }
[peer_groups.desk]
channel = "webhook.desk"
agents = ["lead", "helper"]
external_peers = ["ana"]

[mcp.servers.count]
transport = "stdio"
command = "node"
args = ["${server}", "lines.txt"]
run = "trusted"
expose = ["hold"]
[mcp.servers.count.tools.hold]
effect = ["write"]
operands = "none"
[mcp_bundles.count]
servers = ["count"]

[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;

export const recordedScript = `
scenarios:
  - when: "look around"
    steps:
      - calls:
          - { tool: time_now, args: {} }
          - { tool: file_write, args: { path: "seen.md", content: "seen" } }
          - { tool: file_read, args: { path: "/etc/passwd" } }
      - say: "looked around: {{results.0}}"
  - when: "share the work"
    steps:
      - calls:
          - { tool: delegate, args: { agent: helper, input: "count the notes" } }
          - { tool: spawn, args: { input: "just say it", tools: [time_now] } }
      - calls:
          - { tool: delegate, args: { agent: free, input: "count the notes" } }
          - { tool: message_peer, args: { agent: helper, channel: webhook.desk, text: "hello" } }
      - say: "shared: {{results.0}}"
  - when: "count"
    steps:
      - calls: [{ tool: file_list, args: { path: "." } }]
      - say: "{{results.0}}"
  - when: "write the note"
    steps:
      - calls: [{ tool: file_write, args: { path: "note.md", content: "one" } }]
      - say: "{{results.0}}"
  - when: "write and mend"
    steps:
      - calls: [{ tool: file_write, args: { path: "note.md", content: "one" } }]
      - calls: [{ tool: file_edit, args: { path: "note.md", old_text: "one", new_text: "two" } }]
      - say: "{{results.0}}"
  - when: "keep the plum"
    steps:
      - calls: [{ tool: memory_store, args: { text: "plum jam is on the top shelf", tags: ["kitchen"] } }]
      - say: "kept"
  - when: "find the plum"
    steps:
      - calls: [{ tool: memory_recall, args: { query: "plum jam" } }]
      - say: "{{results.0}}"
  - when: "write the minutes"
    steps:
      - calls: [{ tool: skill_read, args: { skill: minutes } }]
      - calls:
          - { tool: time_now, args: {} }
          - { tool: memory_recall, args: { query: "plum" } }
      - say: "written"
  - when: "think for long"
    steps:
      - calls: [{ tool: time_now, args: {} }]
      - { wait_ms: 600000, say: "never said" }
  - when: "hold on"
    steps:
      - calls: [{ tool: "mcp:count/hold", args: { line: "held" } }]
      - say: "after it: {{results.0}}"
default: [{ say: "noted" }]
`;
