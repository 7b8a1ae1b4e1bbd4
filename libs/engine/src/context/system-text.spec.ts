import { expect, it } from 'vitest';
import { samplePolicy } from '../testing/sample-policy.ts';
import { systemText } from './system-text.ts';

const nothing = { identity: [], skills: [] };
const policy = (max: number | 'unlimited' = 'unlimited') =>
  samplePolicy({ context: { max_system_prompt_chars: max } });

it('sets identity files after the template in their order, then skills, each under its name', () => {
  const bare = systemText(policy(), nothing).text;
  const full = systemText(policy(), {
    identity: [
      { path: '/srv/SOUL.md', text: 'I am calm.\n' },
      { path: '/srv/team/RULES.md', text: 'Be brief.' },
    ],
    skills: [{ skill: 'notes', text: 'notes: how to take notes' }],
  }).text;
  expect(bare.startsWith('You are `ada`')).toBe(true);
  expect(full).toBe(
    `${bare}\n\n# SOUL.md\n\nI am calm.\n\n# RULES.md\n\nBe brief.\n\n# Skills\n\nRead a skill with \`skill_read\` before you work by it.\n\nnotes: how to take notes`,
  );
});

it('cuts the whole at max_system_prompt_chars, the template kept longest', () => {
  const bare = systemText(policy(), nothing).text;
  const parts = { ...nothing, identity: [{ path: '/srv/SOUL.md', text: 'x'.repeat(1000) }] };
  const cut = systemText(policy(bare.length + 20), parts);
  expect(cut.truncated).toBe(true);
  expect(cut.text.length).toBe(bare.length + 20);
  expect(cut.text.startsWith(bare)).toBe(true);
});
