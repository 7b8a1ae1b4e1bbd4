import { countingServer } from './counting-server.ts';

/** A team whose policy changes: a writer that asks, a lead that has it and a procedure work, and one whose calls can hang. `lines` is the
 * file that the calls leave their lines in; they hang until `<lines>.go` is there. */
export const policyConfig = (lines: string): string => `
[agents.writer]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"

[agents.lead]
provider = "local"
risk_profile = "leading"
runtime_profile = "short"
delegates = [{ agent = "writer", mode = "independent" }]

[agents.busy]
provider = "local"
risk_profile = "counting"
runtime_profile = "short"
mcp_bundles = ["count"]

[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_*", "time_now"]
denied = ["file_search"]
[risk_profiles.careful.approval]
route = { on_no_approver = "queue" }

[risk_profiles.leading]
autonomy = "full"
[risk_profiles.leading.tools]
allowed = ["delegate", "sop_start"]
[risk_profiles.leading.delegation]
mode = "allow"
sops = ["release"]

[risk_profiles.counting]
autonomy = "full"
[risk_profiles.counting.tools]
allowed = ["mcp:count/*"]

[runtime_profiles.short.budgets]
max_tool_iterations = 6

[sops.release]
triggers = ["tool"]
[[sops.release.steps]]
name = "check"
agent = "writer"
prompt = "check {{input}}"
gate = "approval"

${countingServer(lines, ['append', 'asked', 'hold', 'again'])}

[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;

export const policyScript = `
scenarios:
  - when: 'look around'
    steps:
      - calls: [{ tool: time_now, args: {} }]
      - calls: [{ tool: file_list, args: { path: '.' } }]
      - calls: [{ tool: time_now, args: {} }]
      - say: 'It is late.'
  - when: 'write the note'
    steps:
      - calls: [{ tool: file_write, args: { path: 'note.md', content: "one" } }]
      - say: 'Result: {{results.0}}'
  - when: 'let it be written'
    steps:
      - calls: [{ tool: delegate, args: { agent: writer, input: 'write the note' } }]
      - say: 'done'
  - when: 'release it'
    steps:
      - calls: [{ tool: sop_start, args: { name: release, input: it } }]
      - say: 'released'
  - when: 'hang on one'
    steps:
      - calls: [{ tool: "mcp:count/hold", args: { line: one } }]
      - say: '{{results.0}}'
  - when: 'hang on two'
    steps:
      - calls: [{ tool: "mcp:count/hold", args: { line: two } }]
      - say: '{{results.0}}'
  - when: 'hang on three'
    steps:
      - calls: [{ tool: "mcp:count/hold", args: { line: three } }]
      - say: '{{results.0}}'
default: [{ say: 'nothing to do' }]
`;
