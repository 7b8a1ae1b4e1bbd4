import { expect, it } from 'vitest';
import { warningsIn } from '../parse-config.fixture.ts';

const config = (tools: string, workspace: string, more = ''): string => `[agents.a]
provider = "p"
risk_profile = "r"
runtime_profile = "t"
[risk_profiles.r.tools]
allowed = ${tools}
[risk_profiles.r.workspace]
${workspace}
[runtime_profiles.t]
[providers.p]
type = "scripted"
script = "s"
prices = "free"
${more}`;

it('says which pattern names a skill where config has no folder of skills', () => {
  const allowed = '["file_read", "skill:notes/tidy"]';
  expect(warningsIn(config(allowed, ''))).toEqual([
    '6:25 risk_profiles.r.tools.allowed[1] matches_nothing: `skill:notes/tidy` matches no skill: config has no skill bundle',
  ]);
  const bundle = '[skill_bundles.b]\ndirectory = "skills"\n';
  const found = warningsIn(config(allowed, '', bundle));
  expect(found.filter((line) => line.includes('matches_nothing'))).toEqual([]);
});

it.each(['root = "."', 'root = ".."', 'allowed_roots = [".."]'])(
  'says which agent may write in the folder of the config: %s',
  (workspace) => {
    const folder = workspace.includes('..') ? '/srv' : '/srv/team';
    const key = workspace.split(' ', 1)[0] ?? '';
    expect(warningsIn(config('["file_read"]', workspace))).toEqual([
      `8:${key.length + 4} risk_profiles.r.workspace.${key} conflict: \`a\` may write in \`${folder}\`, which holds the folder of this config and what agents read from it: give it a folder apart`,
    ]);
  },
);

it('says nothing of folders beside or below it', () => {
  expect(
    warningsIn(config('["file_read"]', 'root = "work"\nallowed_roots = ["../notes"]')),
  ).toEqual([]);
});
