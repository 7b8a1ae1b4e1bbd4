/** A small team for the console: one agent that asks a person, one that may nearly nothing. */
export const teamConfig = `
[agents.writer]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"

[agents.reader]
provider = "local"
risk_profile = "narrow"
runtime_profile = "short"

[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_*", "time_now", "ask_user"]
denied = ["file_search"]
[risk_profiles.careful.approval]
always_ask = ["file_edit"]
route = { on_no_approver = "queue" }
timeout_secs = 900
grant_ttl_secs = 1800

[risk_profiles.narrow]
autonomy = "read_only"
[risk_profiles.narrow.tools]
allowed = ["time_now"]

[runtime_profiles.short.budgets]
max_tool_iterations = 6
max_tool_calls = 12

[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;

/** Markup, and a character that turns the reading direction, as a model could put them into an argument. */
export const hostileName = '<img src=x onerror="document.title=1">\u202Egnp.md';

export const teamScript = `
scenarios:
  - when: 'write the note'
    steps:
      - calls: [{ tool: file_write, args: { path: 'note.md', content: "one\\ntwo\\n" } }]
      - say: 'Result: {{results.0}}'
  - when: 'search'
    steps:
      - calls: [{ tool: file_search, args: { path: '.', text: 'x' } }]
      - say: 'Result: {{results.0}}'
  - when: 'look around'
    steps:
      - calls: [{ tool: time_now, args: {} }, { tool: file_list, args: { path: '.' } }]
      - say: 'It is late.'
  - when: 'hostile'
    steps:
      - calls: [{ tool: file_write, args: { path: ${JSON.stringify(hostileName)}, content: '</pre><script>document.title=2</script>' } }]
      - say: 'Result: {{results.0}}'
  - when: 'ask me'
    steps:
      - calls: [{ tool: ask_user, args: { question: 'Which note matters most?', choices: ['plan', 'budget'] } }]
      - say: 'You chose: {{results.0}}'
default:
  - say: 'No scenario matches.'
`;
