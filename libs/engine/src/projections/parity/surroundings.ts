import type { AppliedConfig } from '@lockstep/policy';
import type { Surroundings } from '../../monitors/recorded-turn.ts';
import type { OpenTurn, ParityState } from './parity-state.ts';

/** What monitors may look up, from what the fold kept. */
export const surroundingsOf = (state: ParityState, open: OpenTurn): Surroundings => ({
  snapshot: (digest) => {
    const text = state.texts.get(digest);
    return text === undefined ? null : state.expectations.snapshot(text);
  },
  shared: (snapshot) => state.expectations.recorded(snapshot).snapshot,
  text: (digest) => state.texts.get(digest) ?? null,
  chars: (digest) => state.chars.get(digest) ?? null,
  grant: (id) => state.grants.get(id) ?? null,
  connection: (digest) => state.connections.get(digest) ?? null,
  toolResults: (turn) => state.toolResults.get(turn) ?? null,
  row: (id) => state.rows.get(id) ?? null,
  tally: (event) => open.tallies.get(event) ?? null,
  parent: open.parent,
  config: (version) => appliedConfig(state, version)?.config ?? null,
});

/** An applied config by version, parsed again from the log; null if there was none or it cannot be read. */
export const appliedConfig = (state: ParityState, version: number): AppliedConfig | null => {
  const stored = state.configs.get(version);
  if (stored === undefined) return null;
  const { content } = stored;
  const text =
    'inline' in content
      ? content.inline
      : 'artifact' in content
        ? (state.texts.get(content.artifact) ?? null)
        : null;
  return state.expectations.config(stored, text);
};

/** Number of the config in force, or null before the first. */
export const latestVersion = (state: ParityState): number | null =>
  state.configs.size === 0 ? null : Math.max(...state.configs.keys());
