import { resolve } from 'node:path';
import type { Config, ConfigProblem } from '@lockstep/policy';
import { SkillLibrary, type Bundles } from '../adapters/skills/skill-library.ts';

/** Skills that are left out, and why: of each bundle by itself, and of the bundles that an agent has together. */
export const skillProblems = async (config: Config, base: string): Promise<ConfigProblem[]> => {
  const library = new SkillLibrary();
  const all = Object.keys(config.skill_bundles);
  const sets = [
    ...all.map((bundle) => [bundle]),
    ...Object.values(config.agents).map(({ skill_bundles: bundles = [] }) => bundles),
  ];
  const found = new Map<string, ConfigProblem>();
  for (const set of sets) {
    const { problems } = await library.of(foldersOf(config, base, set));
    for (const { bundle, skill, message } of problems) {
      const text = skill === null ? message : `the skill \`${skill}\` is left out: ${message}`;
      const path = `skill_bundles.${bundle}.directory`;
      found.set(`${path} ${text}`, {
        path,
        line: null,
        column: null,
        code: 'invalid_value',
        message: text,
      });
    }
  }
  return [...found.values()];
};

const foldersOf = (config: Config, base: string, names: readonly string[]): Bundles =>
  Object.fromEntries(
    Object.entries(config.skill_bundles)
      .filter(([name]) => names.includes(name))
      .map(([name, { directory }]) => [name, resolve(base, directory)]),
  );
