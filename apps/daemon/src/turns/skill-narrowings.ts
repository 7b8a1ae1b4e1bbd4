import type { OpenTurn } from '@lockstep/engine';
import type { AppliedNarrowing } from '@lockstep/policy';

const why = 'the tools that a skill in use leaves';

/** A skill in use leaves its own tools only, in all that the turn that reads it starts or leaves behind too. */
export const skillNarrowings = ({ skills }: Pick<OpenTurn, 'skills'>): AppliedNarrowing[] =>
  skills.flatMap(({ skill, tools }) =>
    tools === null
      ? []
      : [{ whose: `skill:${skill}`, why, values: { 'tools.allowed': [[...tools]] } }],
  );
