import { expect, it } from 'vitest';
import { warningsIn } from '../parse-config.fixture.ts';

const config = (triggers: string, sops: string): string => `[agents.a]
provider = "p"
risk_profile = "r"
runtime_profile = "t"
delegates = []
[risk_profiles.r.tools]
allowed = ["sop_start"]
[risk_profiles.r.delegation]
mode = "allow"
sops = ${sops}
[runtime_profiles.t]
[providers.p]
type = "scripted"
script = "s.yaml"
prices = "free"
[sops.ship]
triggers = ${triggers}
[[sops.ship.steps]]
agent = "a"
prompt = "ship"
`;

it.each([
  ['both say so', '["manual", "tool"]', '["ship"]', []],
  [
    'no policy names it',
    '["manual", "tool"]',
    '[]',
    [expect.stringContaining('no `delegation.sops` names `ship`')],
  ],
  [
    'its triggers leave the tool out',
    '["manual"]',
    '["ship"]',
    [expect.stringContaining('`ship` is not started by a tool: add `tool` to its triggers')],
  ],
])('warns of a procedure that the tool cannot start, where %s', (_, triggers, sops, expected) => {
  expect(warningsIn(config(triggers, sops)).filter((line) => line.includes('ship'))).toEqual(
    expected,
  );
});
