import type { ResolutionProblem } from '@lockstep/policy';
import type { DataOf } from '../events/event.ts';

const unavailable: ReadonlySet<string> = new Set([
  'unknown_agent',
  'disabled_agent',
  'incomplete_agent',
]);

/** What the sender of a refused request is told: the same for unknown, disabled and incomplete agents. No problems = the agent's work
 * is stopped. */
export const whyRefused = (
  agent: string,
  problems: readonly ResolutionProblem[],
): Pick<DataOf<'TurnRefused'>, 'code' | 'shown'> => {
  const [first] = problems;
  if (first === undefined)
    return { code: 'stopped', shown: `work of agent \`${agent}\` is stopped` };
  if (problems.some((problem) => unavailable.has(problem.code)))
    return { code: 'agent_unavailable', shown: `agent \`${agent}\` is not available` };
  return {
    code: problems.some((problem) => problem.code === 'not_permitted')
      ? 'not_permitted'
      : 'invalid_request',
    shown: first.message,
  };
};
