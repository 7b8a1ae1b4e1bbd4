import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { realPathOf } from '../tools/real-path.ts';
import { readSkill, type Skill, type SkillRead } from './read-skill.ts';

/** A skill and the bundle that holds it. */
export interface FoundSkill extends Skill {
  readonly bundle: string;
}

/** Why a skill, or a whole bundle, is left out. */
export interface SkillProblem {
  readonly bundle: string;
  /** Null = the bundle itself. */
  readonly skill: string | null;
  readonly message: string;
}

export interface FoundSkills {
  /** Sorted by name. */
  readonly skills: readonly FoundSkill[];
  readonly problems: readonly SkillProblem[];
}

/** Folders of bundles by their names, as a policy holds them. */
export type Bundles = Readonly<Record<string, string>>;

/** Finds skills for everyone who asks: the system text, the tools, checks. What did not change on the disk is not read again. */
export class SkillLibrary {
  readonly #known = new Map<string, { readonly stamp: string; readonly read: SkillRead }>();

  /** The skills of some bundles. Of two with one name, that of the bundle whose name sorts first counts, and the other is a problem. */
  async of(bundles: Bundles): Promise<FoundSkills> {
    const skills = new Map<string, FoundSkill>();
    const problems: SkillProblem[] = [];
    for (const [bundle, directory] of sorted(bundles)) {
      const folders = foldersIn(directory);
      if (folders === null) {
        const message = `the folder \`${directory}\` cannot be read`;
        problems.push({ bundle, skill: null, message });
        continue;
      }
      for (const name of folders) {
        const read = await this.#read(join(directory, name), name);
        const first = skills.get(name);
        if (!read.ok) problems.push({ bundle, skill: name, message: read.message });
        else if (first === undefined) skills.set(name, { ...read.skill, bundle });
        else
          problems.push({
            bundle,
            skill: name,
            message: `the bundle \`${first.bundle}\` holds a skill of that name, which counts`,
          });
      }
    }
    return { skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
  }

  /** One skill as it stands on the disk now, read anew; null = there is none of that name. */
  async now(bundles: Bundles, name: string): Promise<FoundSkill | null> {
    for (const [, directory] of sorted(bundles)) this.#known.delete(join(directory, name));
    return (await this.of(bundles)).skills.find((skill) => skill.name === name) ?? null;
  }

  async #read(folder: string, name: string): Promise<SkillRead> {
    const stamp = stampOf(folder, { left: 2_000 });
    const known = this.#known.get(folder);
    if (known !== undefined && known.stamp === stamp) return known.read;
    const real = realPathOf(folder);
    const read: SkillRead =
      real === null || lstatSync(folder).isSymbolicLink()
        ? { ok: false, message: 'it is a link: put the folder there' }
        : await readSkill(real, name);
    this.#known.set(folder, { stamp, read });
    return read;
  }
}

const sorted = (bundles: Bundles): readonly (readonly [string, string])[] =>
  Object.entries(bundles).sort(([a], [b]) => (a < b ? -1 : 1));

/** Folders and links of a bundle; plain files and hidden names beside them are no skills. */
const foldersIn = (directory: string): readonly string[] | null => {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('.'))
      .sort();
  } catch {
    return null;
  }
};

/** Changes with every write to what a folder holds: the kernel sets the time of the last change, and nobody else can. */
const stampOf = (path: string, budget: { left: number }): string => {
  budget.left -= 1;
  if (budget.left < 0) return 'too much';
  try {
    const { ino, mode, size, ctimeNs, nlink } = lstatSync(path, { bigint: true });
    const own = [ino, mode, size, ctimeNs, nlink].join(' ');
    if ((mode & 0o170000n) !== 0o040000n) return own;
    const inside = readdirSync(path)
      .sort()
      .map((name) => `${name} ${stampOf(join(path, name), budget)}`);
    return [own, ...inside].join('\n');
  } catch {
    return 'gone';
  }
};
