import { expect, it } from 'vitest';
import { warningsIn } from '../parse-config.fixture.ts';

const config = (shell: string, more = ''): string => `[agents.a]
provider = "p"
risk_profile = "r"
runtime_profile = "t"
${more}
[risk_profiles.r]
[risk_profiles.r.tools]
allowed = ["shell"]
[risk_profiles.r.shell]
allowed_commands = ["ls"]
${shell}
[runtime_profiles.t]
[providers.p]
type = "scripted"
script = "s"
prices = "free"
`;

it.each(['preferred', 'off'])('says where commands may run bare: sandbox is %s', (sandbox) => {
  expect(warningsIn(config(`sandbox = "${sandbox}"`))).toEqual([
    '11:1 risk_profiles.r.shell.sandbox unsafe_process: `a` can act as the operator: what it runs may run outside the sandbox',
  ]);
});

it('says nothing where the sandbox is required', () => {
  expect(warningsIn(config('sandbox = "required"'))).toEqual([]);
  expect(warningsIn(config(''))).toEqual([]);
});

it('says which server runs bare', () => {
  const servers = `[mcp.servers.s]
transport = "stdio"
command = "x"
expose = "*"
run = "trusted"
[mcp_bundles.b]
servers = ["s"]
`;
  expect(warningsIn(config('', 'mcp_bundles = ["b"]') + servers)).toEqual([
    '21:1 mcp.servers.s.run unsafe_process: `a` can act as the operator: the server `s` runs outside the sandbox',
  ]);
  expect(warningsIn(config('') + servers).filter((line) => line.includes('unsafe'))).toEqual([]);
});
