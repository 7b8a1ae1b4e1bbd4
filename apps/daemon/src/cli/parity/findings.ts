import type { ParityView } from '@lockstep/engine';
import { pathNames, type PathName, type SettingKey, type Trigger } from '@lockstep/policy';

/** One setting of one agent over one trigger. */
export interface Finding {
  readonly agent: string;
  readonly setting: SettingKey;
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly state: string;
  readonly kind: string | null;
  /** Why it is a gap, or why it cannot matter. */
  readonly reason: string | null;
  /** Events in which the setting acted. */
  readonly bites: number;
}

/** Whether a state fails a check: a gap always, what was not seen to act only when that is wanted. */
export const isBad = (state: string, strict: boolean): boolean =>
  state === 'gap' || (strict && (state === 'held' || state === 'unobserved'));

/** Every cell of the matrices of agents, trigger by trigger. */
export const findingsIn = (
  agents: readonly { readonly agent: string; readonly matrix: ParityView }[],
  only: PathName | undefined,
): readonly Finding[] =>
  agents.flatMap(({ agent, matrix }) =>
    matrix.rows.flatMap(({ setting, cells }) =>
      pathNames
        .filter((path) => only === undefined || path === only)
        .flatMap((path) =>
          Object.entries(cells[path].triggers).map(([trigger, cell]) => ({
            agent,
            setting,
            path,
            trigger: trigger as Trigger,
            state: cell.state,
            kind: cell.kind ?? null,
            reason: cell.reason ?? null,
            bites: cell.bites.live + cell.bites.probe,
          })),
        ),
    ),
  );
