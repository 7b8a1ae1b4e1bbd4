import { widenClauses } from '../orders/clauses.ts';
import { sameValue } from '../orders/order.ts';
import type { ProvenanceEntry, ResolutionProblem } from '../resolution.ts';
import type { SettingKey } from '../setting-key.ts';
import type { Clauses } from '../snapshot.ts';
import { settings } from '../surfaces/registry.ts';
import type { Setting } from '../surfaces/setting.ts';
import { close, finish, type AgentPolicy, type Finished, type Provided } from './agent-policy.ts';
import { readNarrowing } from './narrowing-value.ts';
import { deepFreeze } from './snapshot-parts.ts';
import type { Taking } from './taking.ts';

export type Taken =
  | { readonly ok: true; readonly finished: Finished }
  | { readonly ok: false; readonly problems: readonly ResolutionProblem[] };

/** The agent's policy less what is taken away, or why that cannot be. */
export const takeAway = (policy: AgentPolicy, takings: readonly Taking[]): Taken => {
  const taken = takings.filter(({ values }) => values !== 'none');
  if (taken.length === 0) return { ok: true, finished: policy };
  const key = JSON.stringify(taken);
  const known = policy.narrowed.get(key);
  if (known !== undefined) return { ok: true, finished: known };
  let provided: Provided = policy;
  for (const taking of taken) {
    const next = takeOne(provided, taking);
    if (!next.ok) return next;
    provided = close(next.provided, policy.place);
  }
  const finished = finish(policy.place, policy.facts, provided);
  if (policy.narrowed.size >= keptPolicies) policy.narrowed.clear();
  policy.narrowed.set(key, finished);
  return { ok: true, finished };
};

/** How many narrowed policies of one agent are kept: tokens and jobs come again and again with the same narrowing. */
const keptPolicies = 256;

type AnySetting = Setting<SettingKey, unknown>;
const byKey: ReadonlyMap<SettingKey, AnySetting> = new Map(settings.map((s) => [s.key, s]));

type Step =
  | { readonly ok: true; readonly provided: Provided }
  | { readonly ok: false; readonly problems: readonly ResolutionProblem[] };

const takeOne = (provided: Provided, taking: Taking): Step => {
  if (taking.values === 'none') return { ok: true, provided };
  const read = readNarrowing(taking.values);
  const problems: ResolutionProblem[] = read.problems.map(({ key, message }) => ({
    code: 'invalid_narrowing',
    message: `${taking.whose}: ${message}`,
    path: key,
  }));
  const values = new Map(provided.values);
  const provenance = new Map(provided.provenance);
  for (const [key, asked] of read.values) {
    const setting = byKey.get(key);
    const held = provided.values.get(key);
    if (setting === undefined) continue;
    const within = setting.order.within(asked, held);
    if (!within && taking.kind === 'ask') problems.push(widening(taking, key));
    // INVARIANT: a value of the agent's own is never met with another agent's.
    if (!within && setting.order.own === true) continue;
    const next = meetWith(setting, held, asked, taking);
    if (sameValue(next.value, held)) continue;
    values.set(key, deepFreeze(next.value));
    provenance.set(key, { key, ...next.from });
  }
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, provided: { values, provenance } };
};

const widening = ({ whose }: Taking, key: SettingKey): ResolutionProblem => ({
  code: 'widening_refused',
  message: `${whose} asks for more than the policy grants in \`${key}\`: ask for less or leave it out`,
  path: key,
});

interface Met {
  readonly value: unknown;
  readonly from: Omit<ProvenanceEntry, 'key'>;
}

const meetWith = (setting: AnySetting, held: unknown, asked: unknown, taking: Taking): Met => {
  const { order, key } = setting;
  const plain: Met = {
    value: order.meet(held, asked),
    from: {
      source: taking.kind === 'ceiling' ? 'ceiling' : 'narrowing',
      name: taking.whose,
      path: null,
    },
  };
  const { grants } = taking;
  if (grants === undefined || key !== 'tools.allowed') return plain;
  const widened = order.meet(held, widenClauses(asked as Clauses, grants.tools));
  if (sameValue(widened, plain.value)) return plain;
  return {
    value: widened,
    from: { source: 'edge_grant', name: grants.edge, path: grants.path },
  };
};
