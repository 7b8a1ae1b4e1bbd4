import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  parityMatrix,
  parityView,
  type EventType,
  type LockstepEvent,
  type ParityView,
} from '@lockstep/engine';
import { enforcedKeys, type EnforcedKey, type PolicySnapshot } from '@lockstep/policy';
import { rows } from '../parity/rows/rows.ts';
import type { Row } from '../parity/rows/row.ts';
import { valueOf } from '../parity/value-of.ts';
import { eventsIn } from '../support/log-folder.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const config = `
[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
mcp_bundles = ["files"]
[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_read", "file_write", "http_fetch", "mcp:files/*"]
[risk_profiles.careful.approval]
auto_approve = ["file_write"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[mcp.servers.files]
transport = "stdio"
command = "mcp-server-filesystem"
args = ["{workspace}"]
expose = ["list_*"]
[mcp_bundles.files]
servers = ["files"]
`;
const script = `
default:
  - calls:
      - { tool: file_write, args: { path: "a.md", content: "x" } }
      - { tool: file_read, args: { path: "/etc/passwd" } }
  - say: "Done."
`;

let run: RunningDaemon;
let history: readonly LockstepEvent[];
let live: ParityView;
beforeAll(async () => {
  run = await runDaemon(config, script);
  for (const route of ['turns', 'runs'])
    await run.admin().post(`/v1/agents/alpha/${route}`, { input: 'work', wait: true });
  live = (await run.admin().get('/v1/parity')).body as ParityView;
  await run.stop();
  history = await eventsIn(run.data);
});
afterAll(() => run.remove());

const matrix = parityMatrix({ supportedTriggers: ['rest', 'run'] });
const gapsOf = (view: ParityView): string[] =>
  view.rows.flatMap(({ setting, cells }) =>
    Object.entries(cells).flatMap(([path, cell]) =>
      cell.state === 'gap' ? [`${setting} ${path}`] : [],
    ),
  );
/** The matrix of a history, as a daemon would show it. */
const gaps = (events: readonly LockstepEvent[]): string[] =>
  gapsOf(parityView(events.reduce((state, event) => matrix.fold(state, event), matrix.initial())));

/** The history with one event of the turn over REST altered. */
const altered = (type: EventType, change: (data: object) => object): readonly LockstepEvent[] => {
  const at = history.findIndex((e) => e.type === type && e.meta.path === 'gateway');
  const event = history[at];
  if (event === undefined) throw new Error(`no ${type} in the history`);
  return history.with(at, { ...event, data: change(event.data) } as LockstepEvent);
};

const policy = (): PolicySnapshot => {
  const event = history.find((e) => e.type === 'PolicyResolved' && e.meta.path === 'gateway');
  if (event?.type !== 'PolicyResolved' || !('inline' in event.data.snapshot))
    throw new Error('no policy in the history');
  return event.data.snapshot.inline;
};

/** Other values where every row expects the one that this config gives. */
const others: Partial<Record<EnforcedKey, readonly unknown[]>> = {
  'skills.bundles': [['writing']],
};

/** The snapshot with another value of one setting, taken from what a row of the parity tests expects elsewhere. */
const withOther = (key: EnforcedKey): PolicySnapshot => {
  const current = JSON.stringify(valueOf(policy(), key));
  const other = rows[key]
    .map((row: Row) => row.expected)
    .concat(others[key] ?? [])
    .find((v) => JSON.stringify(v) !== current);
  if (other === undefined) throw new Error(`no other value of ${key}`);
  const [first = '', ...rest] = key.split('.');
  const set = (value: unknown, path: readonly string[]): unknown => {
    const [head, ...tail] = path;
    if (head === undefined) return other;
    const table = value as Record<string, unknown>;
    return { ...table, [head]: set(table[head], tail) };
  };
  return set(policy(), [first, ...rest]) as PolicySnapshot;
};

describe('given a history that a daemon recorded', () => {
  it('shows no gap, live and folded again', () => {
    expect(gapsOf(live)).toEqual([]);
    expect(gaps(history)).toEqual([]);
  });

  it.each(enforcedKeys)(
    'turns exactly %s to gap where the recorded policy had another value',
    (key) => {
      const tampered = altered('PolicyResolved', (data) => ({
        ...data,
        snapshot: { inline: withOther(key) },
      }));
      expect(new Set(gaps(tampered))).toEqual(new Set([`${key} gateway`]));
    },
  );

  it.each([['workspace.forbidden_paths', 'ToolCallAuthorized', '/etc/a.md']] as const)(
    'turns %s to gap where a call was let through',
    (key, type, real) => {
      const tampered = altered(type, (data) => {
        const { facts } = data as { facts: { operands: object[] } };
        return {
          ...data,
          facts: { ...facts, operands: facts.operands.map((o) => ({ ...o, lexical: real, real })) },
        };
      });
      expect(gaps(tampered)).toContain(`${key} gateway`);
    },
  );

  it('turns every setting to gap where a turn ran without a policy, on that path alone', () => {
    const bypassed = history.filter(
      (e) => !(e.type === 'PolicyResolved' && e.meta.path === 'gateway'),
    );
    expect(gaps(bypassed)).toEqual(enforcedKeys.map((key) => `${key} gateway`));
  });
});
