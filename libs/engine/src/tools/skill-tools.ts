import { matchingPattern, normalizeToolPattern } from '@lockstep/policy';
import type { DataOf } from '../events/event.ts';
import type { Withheld } from './withheld.ts';

/** The tools that a skill names, as patterns on canonical ids; null = it says nothing of tools. */
export type SkillTools = Pick<DataOf<'SkillActivated'>, 'skill' | 'tools'>;

/** Reading another skill only ever narrows further. */
const alwaysOpen: ReadonlySet<string> = new Set(['builtin:skill_read']);

/** The rule that keeps a tool out while skills are in use, or null. Each skill in use narrows what the ones before it left: a tool
 * must be named by all of them. A skill never opens a tool that the policy keeps away. */
export const withheldBySkills = (skills: readonly SkillTools[], id: string): Withheld | null => {
  if (alwaysOpen.has(id)) return null;
  const narrower = skills.find(
    ({ tools }) => tools !== null && matchingPattern(tools.map(normalizeToolPattern), id) === null,
  );
  return narrower === undefined
    ? null
    : {
        rule: 'gate.skill_tools',
        pattern: narrower.skill,
        why: `the skill \`${narrower.skill}\` is in use and does not name \`${id}\``,
      };
};
