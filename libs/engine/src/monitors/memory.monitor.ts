import type { EnforcedKey, PolicySnapshot } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import type { Objection } from '../projections/parity-matrix.view.ts';
import { touchesOf, usesOf } from './calls.ts';
import { governed, objector, perTurn, type Monitor } from './monitor.ts';
import { ownPeople, readers, recallsOf, size } from './memory-facts.ts';
import type { RecordedRow, RecordedTurn } from './recorded-turn.ts';

const dayMs = 86_400_000;

/** Rows that the turn was given or wrote, as the memory streams tell them: whoever handed them over says nothing here. */
const rowsTouched = perTurn((turn) =>
  touchesOf(turn).flatMap(({ at, start, touched }) =>
    touched.flatMap((touch) => {
      if (touch.kind !== 'recalled' && touch.kind !== 'stored' && touch.kind !== 'forgot')
        return [];
      return touch.rows.flatMap((id) => {
        const row = knownRow(turn, id);
        return row === null ? [] : [{ at, policy: start.policy, how: touch.kind, id, row }];
      });
    }),
  ),
);

const knownRow = (turn: RecordedTurn, id: string): RecordedRow | null => {
  const row = turn.around.row(id);
  return row === 'unknown' ? null : row;
};

const backend = objector('memory.backend');
/** Rows lie where the policy keeps them; without a memory there are none. */
const backendMonitor: Monitor = (turn) => [
  ...usesOf(turn).flatMap(({ at, policy, tool }) =>
    tool.startsWith('builtin:memory_') && policy.memory.backend === 'none'
      ? [backend.violated(at, `\`${tool}\` was not refused, and there is no memory`)]
      : [],
  ),
  ...recallsOf(turn).flatMap((at) =>
    at.event.data.scope.backend === at.policy.memory.backend
      ? []
      : [backend.violated(at, `rows were recalled from \`${at.event.data.scope.backend}\``)],
  ),
  ...rowsTouched(turn).flatMap(({ at, policy, id, row }) =>
    row.backend === policy.memory.backend
      ? []
      : [backend.violated(at, `row \`${id}\` lies in \`${row.backend}\``)],
  ),
  ...refusedWhere(turn, 'memory.backend', ({ policy }) => policy.memory.backend !== 'none'),
];

const autoRecall = objector('memory.auto_recall');
/** Rows come unasked where, and only where, the policy lets them: before the first model call. */
const autoMonitor: Monitor = (turn) => [
  ...recallsOf(turn).flatMap((at) =>
    at.event.data.by === 'auto' && !at.policy.memory.auto_recall
      ? [autoRecall.violated(at, 'rows were recalled unasked')]
      : [],
  ),
  ...governed(turn, 'ModelCallStarted')
    .slice(0, 1)
    .flatMap((at) => {
      const { backend: where, auto_recall, recall_limit } = at.policy.memory;
      const due = where !== 'none' && auto_recall && size(recall_limit) > 0;
      const came = recallsOf(turn).some(({ event, index }) => {
        return event.data.by === 'auto' && index < at.index;
      });
      return due && !came ? [autoRecall.narrower(at, 'nothing was looked for unasked')] : [];
    }),
];

const limit = objector('memory.recall_limit');
/** No recall gives more rows than the policy says, and what comes unasked is not cut shorter. */
const limitMonitor: Monitor = (turn) => [
  ...recallsOf(turn).flatMap((at): readonly Objection[] => {
    const { rows, limit: asked, by } = at.event.data;
    const most = size(at.policy.memory.recall_limit);
    if (rows.length > most) return [limit.violated(at, `${rows.length} rows were recalled`)];
    if (size(asked) > most) return [limit.violated(at, `up to ${asked} rows were asked for`)];
    return by === 'auto' && size(asked) < most
      ? [limit.narrower(at, `only up to ${asked} rows were asked for`)]
      : [];
  }),
  ...refusedWhere(turn, 'memory.recall_limit', ({ policy }) => policy.memory.recall_limit !== 0),
];

const readFrom = objector('memory.read_memory_from');
/** Rows are the agent's own, or of agents that the policy names: by what was looked for, by what came, and by who stored it. */
const readMonitor: Monitor = (turn) => [
  ...recallsOf(turn).flatMap((at) => {
    const may = readers(at.policy);
    const { scope, rows } = at.event.data;
    const asked = scope.agents.find((agent) => !may.includes(agent));
    if (asked !== undefined) return [readFrom.violated(at, `rows of \`${asked}\` were looked for`)];
    const foreign = rows.find(
      ({ id, agent }) =>
        !may.includes(agent) || !may.includes(knownRow(turn, id)?.agent ?? turn.agent),
    );
    if (foreign !== undefined)
      return [readFrom.violated(at, `row \`${foreign.id}\` is of another agent`)];
    const missing = may.find((agent) => !scope.agents.includes(agent));
    return missing === undefined
      ? []
      : [readFrom.narrower(at, `rows of \`${missing}\` were not looked for`)];
  }),
  ...usesOf(turn).flatMap(({ at, policy, operands }) =>
    memoryIn(operands).flatMap((operand) => {
      const other = foreignTo(policy, operand);
      const verb = operand.access === 'read' ? 'read' : 'change';
      return other === null
        ? []
        : [readFrom.violated(at, `the call may ${verb} rows of \`${other}\``)];
    }),
  ),
  ...rowsTouched(turn).flatMap(({ at, policy, how, id, row }) => {
    if (how === 'recalled')
      return readers(policy).includes(row.agent)
        ? []
        : [readFrom.violated(at, `row \`${id}\` of \`${row.agent}\` was recalled`)];
    return row.agent === policy.agent
      ? []
      : [readFrom.violated(at, `row \`${id}\` of \`${row.agent}\` was changed`)];
  }),
  ...refusedWhere(turn, 'memory.read_memory_from', ({ policy, operands }) =>
    operands.every((operand) => foreignTo(policy, operand) === null),
  ),
];

const share = objector('memory.share');
/** Rows of a person reach turns of that person alone, unless the agent shares them; none is stored in another's name. */
const shareMonitor: Monitor = (turn) => [
  ...recallsOf(turn).flatMap((at): readonly Objection[] => {
    const { scope, rows } = at.event.data;
    if (at.policy.memory.share === 'agent')
      return scope.person.kind === 'person'
        ? [share.narrower(at, 'rows of other people were left out')]
        : [];
    const own = ownPeople(turn);
    if (scope.person.kind === 'anyone' || !own.includes(scope.person.id))
      return [share.violated(at, 'rows of other people were looked for')];
    const foreign = rows.find(
      ({ id, person }) =>
        !own.includes(person) || !own.includes(knownRow(turn, id)?.person ?? null),
    );
    return foreign === undefined
      ? []
      : [share.violated(at, `row \`${foreign.id}\` is of another person`)];
  }),
  ...rowsTouched(turn).flatMap(({ at, policy, how, id, row }) => {
    if (ownPeople(turn).includes(row.person)) return [];
    if (how === 'stored') return [share.violated(at, `row \`${id}\` was stored as another's`)];
    return how === 'recalled' && policy.memory.share === 'person'
      ? [share.violated(at, `row \`${id}\` is of another person`)]
      : [];
  }),
];

const writable = objector('memory.writable');
/** Rows are stored and dropped where, and only where, the policy lets them. */
const writableMonitor: Monitor = (turn) => [
  ...usesOf(turn).flatMap(({ at, policy, tool, operands }) => {
    const writes =
      tool === 'builtin:memory_store' ||
      tool === 'builtin:memory_forget' ||
      memoryIn(operands).some(({ access }) => access === 'write');
    return writes && !policy.memory.writable && policy.memory.backend !== 'none'
      ? [writable.violated(at, `\`${tool}\` was not refused`)]
      : [];
  }),
  ...refusedWhere(turn, 'memory.writable', ({ policy }) => policy.memory.writable),
];

const retention = objector('memory.retention_days');
/** A row of the agent's own is kept as long as the policy says, and is not recalled after. */
const retentionMonitor: Monitor = (turn) => [
  ...recallsOf(turn).flatMap((at) => {
    const kept = size(at.policy.memory.retention_days) * dayMs;
    const old = at.event.data.rows.find((row) => {
      const ends = row.agent === turn.agent ? row.stored + kept : Infinity;
      const { expires = 'never', dropped = null } = knownRow(turn, row.id) ?? {};
      const known = Math.min(expires === 'never' ? Infinity : expires, dropped ?? Infinity);
      return Math.min(ends, known) + slackMs < at.event.time;
    });
    return old === undefined
      ? []
      : [retention.violated(at, `row \`${old.id}\` was recalled after its time`)];
  }),
  ...rowsTouched(turn).flatMap(({ at, policy, how, id, row }) => {
    if (how !== 'stored') return [];
    const kept = (row.expires === 'never' ? Infinity : row.expires) - row.stored;
    const wanted = size(policy.memory.retention_days) * dayMs;
    if (kept > wanted + slackMs)
      return [retention.violated(at, `row \`${id}\` is kept longer than the policy says`)];
    return kept < wanted - slackMs
      ? [retention.narrower(at, `row \`${id}\` is kept less long than the policy says`)]
      : [];
  }),
];
/** Between the time that a command carries and the time of the commit. */
const slackMs = 60_000;

export const memoryMonitors = {
  'memory.backend': backendMonitor,
  'memory.auto_recall': autoMonitor,
  'memory.recall_limit': limitMonitor,
  'memory.read_memory_from': readMonitor,
  'memory.share': shareMonitor,
  'memory.writable': writableMonitor,
  'memory.retention_days': retentionMonitor,
} satisfies Record<Extract<EnforcedKey, `memory.${string}`>, Monitor>;

type MemoryOperand = Extract<Operand, { kind: 'memory' }>;

function memoryIn(operands: readonly Operand[]): readonly MemoryOperand[] {
  return operands.filter((operand) => operand.kind === 'memory');
}

/** An agent whose rows a call touches and may not: rows of others are read at most, where the policy names them. */
function foreignTo(policy: PolicySnapshot, { access, agents, row }: MemoryOperand): string | null {
  const may = access === 'read' ? readers(policy) : [policy.agent];
  const owners = row === null ? agents : [...agents, row.agent];
  return owners.find((agent) => !may.includes(agent)) ?? null;
}

function refusedWhere(
  turn: RecordedTurn,
  key: EnforcedKey,
  open: (refused: {
    readonly policy: PolicySnapshot;
    readonly operands: readonly MemoryOperand[];
  }) => boolean,
): readonly Objection[] {
  return governed(turn, 'ToolCallRefused').flatMap((at) => {
    const operands = memoryIn(at.event.data.facts.operands);
    const known = operands.length > 0 && open({ policy: at.policy, operands });
    return at.event.data.rule === key && known
      ? [objector(key).narrower(at, `\`${at.event.data.tool ?? ''}\` is open to the agent`)]
      : [];
  });
}
