import type { Narrowing } from '../request.ts';

/** Something that a path or caller takes away, or could have and did not. */
export interface Taking {
  /** `token:ci`, `job:nightly`, `client`, `ceiling:planner`, … */
  readonly whose: string;
  readonly why: string;
  readonly values: Narrowing | 'none';
  /** `ask`: what the caller wants, refused where it is more than the policy grants. `limit`: met, whatever it says. */
  readonly kind: 'ask' | 'limit' | 'ceiling';
  /** What an edge adds to a ceiling's tools. */
  readonly grants?: EdgeGrants;
}

/** The tools that a delegation edge grants beyond the caller's own. */
export interface EdgeGrants {
  /** `from>to`. */
  readonly edge: string;
  readonly path: string;
  readonly tools: readonly string[];
}

/** Prefix of a ceiling's `whose`: unlike other narrowings it does not reach descendants through independent edges. */
export const ceilingPrefix = 'ceiling:';

/** A narrowing by the tools that may be used, or none when every tool may. */
export const toolsTaken = (tools: '*' | readonly string[] | null): Narrowing | 'none' =>
  tools === null || tools === '*' || tools.includes('*')
    ? 'none'
    : { 'tools.allowed': [[...tools]] };

/** The tools of a scope as the log holds it, and as config says it now where that is another: both hold. */
export const scopeTaken = (
  by: Pick<Taking, 'whose' | 'why'>,
  recorded: readonly string[] | null,
  written: '*' | readonly string[] | undefined,
): Taking[] => {
  const taken = toolsTaken(recorded);
  const more = toolsTaken(written ?? null);
  const first: Taking = { ...by, values: taken, kind: 'limit' };
  if (more === 'none' || JSON.stringify(more) === JSON.stringify(taken)) return [first];
  return [first, { ...by, why: `${by.why}, in the config in force`, values: more, kind: 'limit' }];
};

/** A narrowing without entries takes nothing. */
export const orNone = (values: Narrowing): Narrowing | 'none' =>
  Object.keys(values).length === 0 ? 'none' : values;
