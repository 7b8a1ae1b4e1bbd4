import type { CommandOf, OpenTurn } from '@lockstep/engine';
import { narrowPolicy, resolveAgain, type ResolveRecords } from '@lockstep/policy';
import type { CurrentConfig } from '../config/current-config.port.ts';

/** What a newer config does to a running turn. */
export type Narrowing =
  | { readonly kind: 'narrow'; readonly command: CommandOf<'NarrowTurn'> }
  /** The agent is gone or disabled, or the request would be refused now. */
  | { readonly kind: 'cancel'; readonly by: string; readonly why: string };

/** Resolves a running turn's own request under the config in force and meets it with its effective policy. The only builder of
 * NarrowTurn.
 * @param records as they are now: a child's parent with its current policy */
export const narrowTurn = (
  state: OpenTurn,
  config: CurrentConfig,
  records: ResolveRecords,
): Narrowing => {
  const applied = config.current();
  const resolved = resolveAgain(applied, state.request, records);
  if (!resolved.ok) {
    const [problem] = resolved.problems;
    return {
      kind: 'cancel',
      by: 'config',
      why: `config version ${applied.version}: ${problem?.message ?? 'the request is refused'}`,
    };
  }
  const { policy, keys } = narrowPolicy(state.policy, resolved.policy);
  return { kind: 'narrow', command: { type: 'NarrowTurn', policy, keys } };
};
