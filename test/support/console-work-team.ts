/** A team whose work comes from everywhere: agents that start each other, jobs, procedures with a gate, a channel, and questions that take
 * two people or may not be decided by who asked. */
export const workConfig = `
[agents.lead]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
delegates = [{ agent = "helper", mode = "bounded" }]
channels = ["webhook.desk"]

[agents.helper]
provider = "local"
risk_profile = "open"
runtime_profile = "short"

[agents.pair]
provider = "local"
risk_profile = "two"
runtime_profile = "short"

[agents.other]
provider = "local"
risk_profile = "eyes"
runtime_profile = "short"

[agents.writer]
provider = "local"
risk_profile = "asks"
runtime_profile = "short"

[risk_profiles.open]
autonomy = "full"
[risk_profiles.open.tools]
allowed = ["delegate", "spawn", "time_now"]
[risk_profiles.open.delegation]
mode = "allow"
spawn = true

[risk_profiles.asks]
autonomy = "supervised"
[risk_profiles.asks.tools]
allowed = ["file_*", "time_now"]
[risk_profiles.asks.approval]
route = { on_no_approver = "queue" }
timeout_secs = 900
grant_ttl_secs = 1800

[risk_profiles.two]
autonomy = "supervised"
[risk_profiles.two.tools]
allowed = ["file_write"]
[risk_profiles.two.approval]
approvers_required = 2
route = { on_no_approver = "queue" }

[risk_profiles.eyes]
autonomy = "supervised"
[risk_profiles.eyes.tools]
allowed = ["file_write"]
[risk_profiles.eyes.approval]
four_eyes = true
route = { on_no_approver = "queue" }

[runtime_profiles.short.budgets]
max_tool_iterations = 6

[cron.nightly]
agent = "helper"
schedule = "0 3 * * *"
prompt = "look at the night"

[sops.release]
triggers = ["manual"]
[[sops.release.steps]]
name = "draft"
agent = "helper"
prompt = "draft {{input}}"
[[sops.release.steps]]
name = "check"
agent = "lead"
prompt = "check {{steps.draft}}"
gate = "approval"

[channels.webhook.desk]
secret = { env = "CONSOLE_DESK_SECRET" }
[peer_groups.desk]
channel = "webhook.desk"
agents = ["lead"]
external_peers = ["ben"]

[people.root]
identities = ["local:local"]
roles = ["admin"]
[people.ana]
identities = ["token:ana"]
roles = ["operator", "approver"]

[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;

export const workScript = `
scenarios:
  - when: 'share the work'
    steps:
      - calls:
          - { tool: delegate, args: { agent: helper, input: 'count the notes' } }
          - { tool: spawn, args: { input: 'look around', tools: [time_now] } }
      - say: 'both are done'
  - when: 'count the notes'
    steps:
      - calls: [{ tool: time_now, args: {} }]
      - say: 'forty-two'
  - when: 'look around'
    steps: [{ say: seen }]
  - when: 'write the note'
    steps:
      - calls: [{ tool: file_write, args: { path: 'note.md', content: "one" } }]
      - say: 'Result: {{results.0}}'
  - when: 'draft'
    steps: [{ say: 'a text' }]
default: [{ say: 'nothing to do' }]
`;
