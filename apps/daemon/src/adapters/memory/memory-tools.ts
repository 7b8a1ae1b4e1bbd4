import {
  expiryOf,
  memoryKeeperOf,
  memoryScopeOf,
  personOf,
  type Artifacts,
  type Clock,
  type Masker,
  type MemoryScope,
  type Operand,
  type RecalledRow,
  type StartedToolCall,
  type ToolOutcome,
  type ToolScope,
} from '@lockstep/engine';
import { digestOf, type Limit } from '@lockstep/policy';
import type { Running, ToolSource } from '../tools/tool-source.ts';
import { outcomeOf, ToolFailure, ToolSays, type ToolDone } from '../tools/tool-failure.ts';
import type { MemoryService } from './memory-service.ts';

export interface MemoryToolParts {
  readonly memory: MemoryService;
  readonly artifacts: Artifacts;
  readonly masker: Pick<Masker, 'mask'>;
  readonly clock: Clock;
}

type Args = Readonly<Record<string, unknown>>;
type MemoryOperand = Extract<Operand, { kind: 'memory' }>;

interface Work {
  readonly scope: ToolScope;
  readonly started: StartedToolCall;
  readonly args: Args;
  readonly running: Running;
  /** What a turn of this policy and principal may see. */
  readonly sees: MemoryScope;
}

/** The tools of memory. Whose rows a call reaches stands in its operand, and in the query of every look. */
export const memoryTools = (parts: MemoryToolParts): ToolSource => ({
  owns: (id) =>
    id === 'builtin:memory_store' ||
    id === 'builtin:memory_recall' ||
    id === 'builtin:memory_forget',
  inspect: async (scope, spec, args) => ({
    operands: [await operandOf(parts, { scope, id: spec.id, args })],
    roots: null,
    confined: false,
  }),
  run: (scope, started, args, running) => {
    const sees = memoryScopeOf(scope.policy, scope.principal);
    if (sees === null) return failed(running);
    const work: Work = { scope, started, args, running, sees };
    switch (started.spec.id) {
      case 'builtin:memory_store':
        return outcomeOf(() => store(parts, work), running.touched);
      case 'builtin:memory_recall':
        return recall(parts, work);
      case 'builtin:memory_forget':
        return outcomeOf(() => forget(parts, work), running.touched);
      default:
        return failed(running);
    }
  },
});

const failed = ({ touched }: Running): Promise<ToolOutcome> =>
  Promise.resolve({ ok: false, kind: 'protocol', message: 'there is no memory here', touched });

const operandOf = async (
  { memory }: MemoryToolParts,
  call: { readonly scope: ToolScope; readonly id: string; readonly args: unknown },
): Promise<MemoryOperand> => {
  const { policy, principal, agent } = call.scope;
  const sees = memoryScopeOf(policy, principal);
  const read = call.id === 'builtin:memory_recall';
  const id = call.id === 'builtin:memory_forget' ? textAt(call.args, 'id') : null;
  const row =
    id === null || sees === null
      ? null
      : await memory.find({ keeper: memoryKeeperOf(policy), scope: sees }, id);
  return {
    kind: 'memory',
    access: read ? 'read' : 'write',
    agents: read && sees !== null ? sees.agents : [agent],
    person: personOf(principal),
    row: row === null ? null : { id: row.id, agent: row.agent },
  };
};

const store = async (parts: MemoryToolParts, work: Work): Promise<ToolDone> => {
  const { scope, started, args, sees, running } = work;
  const { policy, agent, principal, turn, session } = scope;
  const mask = masking(parts, scope);
  const { call, idempotencyKey } = started.event.data;
  const row = digestOf(['memory', agent, idempotencyKey]).slice(0, 32);
  await parts.memory.store(
    {
      row,
      agent,
      person: personOf(principal),
      text: mask(textAt(args, 'text') ?? ''),
      tags: listAt(args, 'tags').map(mask),
      turn,
      call,
      backend: sees.backend,
      expires: expiryOf(policy.memory.retention_days, parts.clock.now()),
    },
    { principal, agent, session },
  );
  running.touched.push({ kind: 'stored', rows: [row] });
  return { text: `kept as \`${row}\`` };
};

const recall = async (parts: MemoryToolParts, work: Work): Promise<ToolOutcome> => {
  const { scope, args, running, sees } = work;
  const limit = lower(scope.policy.memory.recall_limit, args['limit']);
  const text = masking(parts, scope)(textAt(args, 'query') ?? '');
  let rows: readonly RecalledRow[] = [];
  const outcome = await outcomeOf(async () => {
    const keeper = memoryKeeperOf(scope.policy);
    rows = await parts.memory.recall({ keeper, scope: sees, text, limit });
    running.touched.push({ kind: 'recalled', rows: rows.map(({ id }) => id) });
    if (rows.length === 0) return { text: 'nothing that was kept fits' };
    const shown = [];
    for (const row of rows) shown.push(await shownRow(row, parts.artifacts));
    return { text: shown.join('\n\n') };
  }, running.touched);
  return outcome.ok
    ? {
        ...outcome,
        recalled: { query: { inline: text }, limit, scope: sees, rows: [...rows] },
      }
    : outcome;
};

const forget = async (parts: MemoryToolParts, work: Work): Promise<ToolDone> => {
  const { scope, started, args, running } = work;
  const { agent, principal, session, turn } = scope;
  const id = textAt(args, 'id') ?? '';
  const operand = started.event.data.operands.find((one) => one.kind === 'memory');
  const row = operand?.row ?? null;
  if (row === null) throw new ToolSays(`nothing is kept as \`${id}\``);
  if (row.id !== id || row.agent !== agent)
    throw new ToolFailure('late_swap', 'the row is not the one that was authorized');
  const by = `${turn}/${started.event.data.call}`;
  const gone = await parts.memory.forget(
    { row: id, agent, why: 'asked', by },
    { principal, agent, session },
  );
  if (!gone) throw new ToolSays(`nothing is kept as \`${id}\` any more`);
  running.touched.push({ kind: 'forgot', rows: [id] });
  return { text: `\`${id}\` is forgotten` };
};

const shownRow = async (row: RecalledRow, artifacts: Artifacts): Promise<string> => {
  const text =
    'inline' in row.text
      ? row.text.inline
      : 'artifact' in row.text
        ? ((await artifacts.get(row.text.artifact)) ?? '')
        : '[erased]';
  return `[${row.id}, kept by ${row.agent}]\n${text}`;
};

/** Secrets are masked where they enter. */
const masking =
  ({ masker }: MemoryToolParts, { policy, agent }: ToolScope) =>
  (text: string): string =>
    masker.mask(text.toWellFormed(), { formats: policy.output.redact, agent }).text;

const lower = (limit: Limit, asked: unknown): Limit => {
  if (typeof asked !== 'number') return limit;
  return limit === 'unlimited' ? asked : Math.min(limit, asked);
};

const textAt = (args: unknown, key: string): string | null => {
  const value: unknown =
    typeof args === 'object' && args !== null ? Reflect.get(args, key) : undefined;
  return typeof value === 'string' ? value : null;
};

const listAt = (args: Args, key: string): readonly string[] => {
  const value = args[key];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
};
