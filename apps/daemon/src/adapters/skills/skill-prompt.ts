import type { Masker } from '@lockstep/engine';
import { digestOfText, type PolicySnapshot } from '@lockstep/policy';
import type { FoundSkill, SkillLibrary } from './skill-library.ts';

/** What of an agent's skills stands in its system text, by name; masked, each with the digest of its masked text. */
export type ReadSkills = (
  policy: PolicySnapshot,
) => Promise<readonly { readonly skill: string; readonly digest: string; readonly text: string }[]>;

/** Skills of the policy's bundles: by name and description, or with their whole text. */
export const skillReader =
  (library: SkillLibrary, masker: Pick<Masker, 'mask'>): ReadSkills =>
  async ({ skills, output, agent }) => {
    if (skills.bundles.length === 0) return [];
    const found = await library.of(skills.directories ?? {});
    return found.skills.map((skill) => {
      const shown = skills.prompt_mode === 'full' ? whole(skill) : line(skill);
      const { text } = masker.mask(shown.toWellFormed(), { formats: output.redact, agent });
      return { skill: skill.name, digest: digestOfText(text), text };
    });
  };

const line = ({ name, description }: FoundSkill): string =>
  `- ${name}: ${description.replaceAll(/\s+/g, ' ')}`;

const whole = (skill: FoundSkill): string =>
  [`## ${skill.name}`, skill.description, skill.body].join('\n\n');
