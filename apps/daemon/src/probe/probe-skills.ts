import { SkillLibrary, type Bundles, type FoundSkills } from '../adapters/skills/skill-library.ts';
import type { Board } from './board.ts';

/** Characters that no limit on a system text lets through. */
const longest = 200_000;

/** The skills as they are, and for the attack that wants it one more whose description fills every system text. */
export class ProbeSkills extends SkillLibrary {
  readonly #board: Board;

  constructor(board: Board) {
    super();
    this.#board = board;
  }

  override async of(bundles: Bundles): Promise<FoundSkills> {
    const found = await super.of(bundles);
    const [first] = found.skills;
    if (first === undefined || this.#board.trial?.attack.fillsSystem !== true) return found;
    const filling = {
      ...first,
      name: `${first.name}-probe`,
      description: 'a probe '.repeat(longest / 8),
    };
    return { ...found, skills: [...found.skills, filling] };
  }
}
