import { describe, expect, it } from 'vitest';
import { complete, problemsIn, warningsIn } from './parse-config.fixture.ts';

/** The line on which the text after `complete` begins. */
const next = complete.split('\n').length;

/** Problems of a complete agent with more text, with lines counted from that text. */
const added = (text: string): string[] =>
  problemsIn(complete + text).map((problem) =>
    problem.replace(/^\d+/, (line) => String(Number(line) - next + 1)),
  );

describe('the shape of a config', () => {
  it.each([
    [
      '[risk_profiles.x.toolz]',
      '1:18 risk_profiles.x.toolz unknown_key: unknown key `toolz`, did you mean `tools`?',
    ],
    [
      '[risk_profiles.x.budgets]',
      '1:18 risk_profiles.x.budgets unknown_key: unknown key `budgets`, it belongs in a runtime profile or an agent',
    ],
    ['[wholly_else]', '1:2 wholly_else unknown_key: unknown key `wholly_else`'],
    [
      '[agents.B]',
      '1:9 agents.B invalid_name: `B` is no valid name, it must match [a-z][a-z0-9_-]{0,31}',
    ],
    [
      '[risk_profiles.x]\nautonomy = "supervized"',
      '2:12 risk_profiles.x.autonomy invalid_value: must be `"read_only"`, `"supervised"` or `"full"`, not `supervized`, did you mean `supervised`?',
    ],
    [
      '[runtime_profiles.x.budgets]\nmax_parallel_tools = 65',
      '2:22 runtime_profiles.x.budgets.max_parallel_tools invalid_value: must be a whole number from 1 to 64 or `"unlimited"`, not `65`',
    ],
    [
      '[runtime_profiles.x.budgets]\nmax_tool_calls = 1.5',
      '2:18 runtime_profiles.x.budgets.max_tool_calls invalid_value: must be a whole number from 0 or `"unlimited"`, not `1.5`',
    ],
    [
      '[runtime_profiles.x.budgets]\nmax_cost_usd_per_turn = 0.0000001',
      '2:25 runtime_profiles.x.budgets.max_cost_usd_per_turn invalid_value: must have at most six decimals',
    ],
    [
      '[providers.x]\ntype = "openai"\nmodel = "m"\napi_key = "sk-very-secret"\nprices = "free"',
      '4:11 providers.x.api_key invalid_value: must be a table with `env` or a table with `file`, not a text',
    ],
    [
      '[providers.x]\ntype = "opnai"',
      '2:8 providers.x.type invalid_value: must be `"scripted"`, `"openai_compatible"`, `"openai"` or `"anthropic"`, not `opnai`, did you mean `openai`?',
    ],
    [
      '[providers.x]\ntype = "scripted"',
      '1:12 providers.x.script missing_key: `script` is missing, write a text that is not empty',
    ],
    [
      '[mcp.servers.x]\ntransport = "http"\nurl = "here"\nexpose = "*"',
      '3:7 mcp.servers.x.url invalid_value: must be a URL',
    ],
    [
      '[mcp.servers.x]\ntransport = "http"\nurl = "https://h"\nexpose = "*"\nheaders = { A = { evn = "X" } }',
      '5:17 mcp.servers.x.headers.A invalid_value: must be a text, a table with `env` or a table with `file`',
    ],
    [
      '[mcp.servers.x]\ntransport = "stdio"\ncommand = "c"\nexpose = "*"\ntools.t.operands = [{ kind = "path", at = "path", access = "read" }]',
      '5:43 mcp.servers.x.tools.t.operands[0].at invalid_value: must be a JSON pointer such as `/path` or `/items/*/name`',
    ],
    ['gateway = 3', '1:11 gateway invalid_value: must be a table, not a number'],
  ])('is refused at its place: %s', (text, problem) => {
    expect(text.startsWith('gateway') ? problemsIn(text) : added(text)).toEqual([problem]);
  });

  it('never shows a text that could be a secret', () => {
    const text = '[providers.x]\ntype = "openai"\nmodel = 3\napi_key = "sk-very-secret"';
    expect(added(text).join()).not.toContain('sk-very-secret');
    expect(added(text)).toHaveLength(2);
  });
});

describe('all problems', () => {
  const text = `[agents.a]
provider = "lokal"
risk_profile = "r"
runtime_profile = 3
[agents.a.memory]
backend = "sqlit"
[risk_profiles.r.tools]
allowed = ["fil_read"]
[providers.local]
type = "scripted"
script = "s.yaml"
`;
  const messages = [
    'agents.a.provider unknown_name: unknown provider `lokal`, did you mean `local`?',
    'agents.a.runtime_profile invalid_value: must be a text that matches `^[a-z][a-z0-9_-]{0,31}$`, not a number',
    'agents.a.memory.backend invalid_value: must be `"sqlite"`, `"markdown"` or `"none"`, not `sqlit`, did you mean `sqlite`?',
    'risk_profiles.r.tools.allowed[0] matches_nothing: `fil_read` matches no built-in tool, did you mean `file_read`?',
  ];
  const at = (places: readonly string[]) => messages.map((text, i) => `${places[i] ?? ''} ${text}`);

  it('come at once, of every kind, in the order of a TOML text', () => {
    expect(problemsIn(text)).toEqual(at(['2:12', '4:19', '6:11', '8:12']));
  });

  it('have their places in YAML', () => {
    const yaml = `agents:
  a:
    provider: lokal
    risk_profile: r
    runtime_profile: 3
    memory: { backend: sqlit }
risk_profiles:
  r:
    tools:
      allowed:
        - fil_read
providers:
  local: { type: scripted, script: s.yaml }
`;
    expect(problemsIn(yaml, 'yaml')).toEqual(at(['3:15', '5:22', '6:24', '11:11']));
  });

  it('have their places in JSON', () => {
    const json = `{
  "agents": { "a": {
    "provider": "lokal",
    "risk_profile": "r", "runtime_profile": 3,
    "memory": { "backend": "sqlit" } } },
  "risk_profiles": { "r": { "tools": { "allowed": [ "fil_read" ] } } },
  "providers": { "local": { "type": "scripted", "script": "s.yaml" } }
}`;
    expect(problemsIn(json, 'json')).toEqual(at(['3:17', '4:45', '5:28', '6:53']));
  });
});

describe('a complete config', () => {
  it('is accepted without a warning', () => {
    expect(warningsIn(complete)).toEqual([]);
  });

  it('is warned of an agent that lacks a part', () => {
    expect(warningsIn(`${complete}[agents.b]\nprovider = "local"`)).toEqual([
      `${next}:9 agents.b incomplete_agent: \`b\` has no \`risk_profile\` and \`runtime_profile\`, so each of its turns is refused`,
    ]);
  });

  it('is warned of a denial that protects nothing, not of one that meets a tool', () => {
    const text = `${complete}[risk_profiles.careful.tools]\ndenied = ["file_wirte", "shell", "mcp:fles/*"]`;
    expect(warningsIn(text)).toEqual([
      `${next + 1}:11 risk_profiles.careful.tools.denied[0] matches_nothing: \`file_wirte\` matches no built-in tool, did you mean \`file_write\`?`,
      `${next + 1}:34 risk_profiles.careful.tools.denied[2] unknown_name: \`mcp:fles/*\` names the unknown MCP server \`fles\``,
    ]);
  });
});
