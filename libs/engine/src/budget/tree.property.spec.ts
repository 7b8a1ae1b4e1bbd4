import type { PolicySnapshot } from '@lockstep/policy';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LockstepEvent, TurnFact } from '../events/event.ts';
import { foldLedger } from '../ledger/fold-ledger.ts';
import { ledgerOf } from '../ledger/ledger-of.ts';
import { emptyLedger, freezeLedger, thawLedger, type LedgerState } from '../ledger/ledger-state.ts';
import { positionOf } from '../log/stamp.ts';
import { samplePolicy } from '../testing/index.ts';
import type { CapUse } from '../events/parts.ts';
import { judgeBudget } from '../gate/budget-rule.ts';
import { capUses, nothingInFlight } from './cap-uses.ts';
import { joinCaps } from './join-caps.ts';
import { judgeModelCall } from './judge-model-call.ts';
import { outsideCaps, type HeldSpending } from './outside-caps.ts';

interface Caps {
  readonly tools: number;
  readonly tokens: number;
  readonly hour: number;
  readonly day: number;
}
const usual: Caps = { tools: 6, tokens: 3_000, hour: 9, day: 2_500 };

const policyOf = (caps: Caps): PolicySnapshot =>
  samplePolicy({
    budgets: {
      max_tool_calls: caps.tools,
      max_tokens_per_turn: caps.tokens,
      max_cost_usd_per_turn: 'unlimited',
      turn_timeout_secs: 'unlimited',
      max_output_tokens: 100,
      max_actions_per_hour: caps.hour,
      max_cost_usd_per_day: caps.day,
    },
    provider: {
      ...samplePolicy().provider,
      prices: { kind: 'priced', input: 1_000_000, cachedInput: 1_000_000, output: 1_000_000 },
    },
  });
const start = 1_700_000_000_000;

interface Child {
  readonly turn: string;
  readonly parent: string | null;
  tools: number;
  tokens: number;
  /** Decided and on its way to the log. */
  waiting: TurnFact | null;
  /** The reservation of a model call in flight. */
  flying: number | null;
}

/** A tree of turns over one ledger: what each may start is decided by the caps as they stand at that moment. */
class Tree {
  state: LedgerState = emptyLedger();
  now = start;
  #position = 0;
  readonly children: readonly Child[];

  readonly policy: PolicySnapshot;

  constructor(parents: readonly (number | null)[], caps: Caps) {
    this.policy = policyOf(caps);
    this.children = parents.map((parent, index) => ({
      turn: `t${index}`,
      parent: parent === null ? null : `t${parent}`,
      tools: 0,
      tokens: 0,
      waiting: null,
      flying: null,
    }));
    for (const child of this.children) this.#record(child, requested(child));
    for (const child of this.children) this.#record(child, resolved(this.policy));
  }

  chainOf({ turn, parent }: Child): string[] {
    const above = this.children.find((one) => one.turn === parent);
    return above === undefined ? [turn] : [turn, ...this.chainOf(above)];
  }

  outside({ turn, parent }: Child): readonly CapUse[] {
    const held = this.children.flatMap((child): HeldSpending[] => {
      const { waiting } = child;
      if (waiting === null) return [];
      const reserved = waiting.type === 'ModelCallStarted' ? waiting.data.reserved : null;
      return [
        {
          agent: 'ada',
          chain: this.chainOf(child),
          tools: waiting.type === 'ToolCallStarted' ? 1 : 0,
          tokens: reserved?.tokens ?? 0,
          cost: reserved === null || reserved.cost === 'unknown' ? 0 : reserved.cost,
        },
      ];
    });
    return outsideCaps({ turn, parent, policy: this.policy }, ledgerOf(this.state), {
      now: this.now,
      held,
      budgetsOf: () => null,
      activeOf: () => 0,
    });
  }

  /** Whether the gate let it start. */
  startTool(child: Child): boolean {
    if (child.waiting !== null) return false;
    const { turn, tools, tokens } = child;
    const totals = { toolCalls: tools, tokens, cost: tokens };
    const joined = joinCaps(
      capUses({ turn, policy: this.policy, totals }, nothingInFlight),
      this.outside(child),
      { turn, taken: 0 },
    );
    if (judgeBudget({ caps: joined, unsettled: null }) !== null) return false;
    child.waiting = toolStarted;
    return true;
  }

  startModel(child: Child): boolean {
    if (child.waiting !== null || child.flying !== null) return false;
    const { turn, tools, tokens } = child;
    const totals = { toolCalls: tools, tokens, cost: tokens };
    const judged = judgeModelCall({ turn, policy: this.policy, totals }, 50, this.outside(child));
    if (!judged.ok) return false;
    child.waiting = modelStarted(judged.reserved);
    return true;
  }

  acknowledge(child: Child): void {
    const { waiting } = child;
    if (waiting === null) return;
    this.#record(child, waiting);
    child.waiting = null;
    if (waiting.type === 'ToolCallStarted') child.tools += 1;
    if (waiting.type === 'ModelCallStarted') child.flying = waiting.data.reserved.tokens;
  }

  settle(child: Child, used: number): void {
    if (child.flying === null) return;
    child.flying = null;
    child.tokens += used;
    this.#record(child, modelCompleted(used));
  }

  /** The daemon dies: what was on its way is lost, the ledger comes back from its checkpoint. */
  restart(): void {
    for (const child of this.children) child.waiting = null;
    this.state = thawLedger(freezeLedger(this.state));
  }

  below(turn: string, amount: (child: Child) => number): number {
    return this.children
      .filter((child) => this.chainOf(child).includes(turn))
      .reduce((sum, child) => sum + amount(child), 0);
  }

  #record(child: Child, fact: TurnFact): void {
    this.#position += 1;
    foldLedger(this.state, eventOf(child, fact, this.now, this.#position));
  }
}

const digest = 'a'.repeat(64);
const requested = ({ turn }: Child): TurnFact => ({
  type: 'TurnRequested',
  data: {
    request: {
      agent: 'ada',
      principal: { kind: 'local', id: 'local', person: null },
      session: `session-ada-${turn}`,
      origin: { kind: 'run' },
      client: 'none',
    },
    records: {},
    config: { version: 1, digest },
    path: 'loop',
    trigger: 'run',
    input: { inline: '' },
    message: null,
    history: [],
  },
});
const resolved = (policy: PolicySnapshot): TurnFact => ({
  type: 'PolicyResolved',
  data: {
    config: { version: 1, digest },
    registry: 2,
    snapshot: { inline: policy },
    digest,
    surfaces: {} as Extract<TurnFact, { type: 'PolicyResolved' }>['data']['surfaces'],
    provenance: [],
    narrowings: [],
  },
});
const toolStarted: TurnFact = {
  type: 'ToolCallStarted',
  data: {
    call: 'c',
    attempt: 1,
    tool: 'builtin:file_read',
    spec: digest,
    argsDigest: digest,
    binding: digest,
    operands: [],
    repeatable: true,
    idempotencyKey: 'k',
    timeoutMs: 'unlimited',
    unsealed: [],
    policy: digest,
    now: start,
  },
};
const modelStarted = (
  reserved: Extract<TurnFact, { type: 'ModelCallStarted' }>['data']['reserved'],
): TurnFact => ({
  type: 'ModelCallStarted',
  data: {
    modelCall: 1,
    attempt: 1,
    provider: 'local',
    model: 'm',
    system: digest,
    tools: digest,
    advertised: [],
    input: digest,
    messages: 0,
    historyMessages: 0,
    promptTokens: 50,
    maxOutputTokens: 100,
    reserved,
    final: false,
    deltas: 'not_asked',
    policy: digest,
    now: start,
  },
});
const modelCompleted = (used: number): TurnFact => ({
  type: 'ModelCallCompleted',
  data: {
    modelCall: 1,
    attempt: 1,
    text: { inline: '' },
    calls: [],
    finish: 'stop',
    usage: null,
    settled: { tokens: used, cost: used },
    durationMs: 0,
  },
});
const eventOf = (
  { turn, parent }: Child,
  fact: TurnFact,
  time: number,
  position: number,
): LockstepEvent => ({
  ...fact,
  id: `id-${position}`,
  stream: `turn-${turn}`,
  revision: position,
  position: positionOf(position),
  schema: 1,
  time,
  meta: {
    agent: 'ada',
    path: 'loop',
    trigger: 'run',
    principal: null,
    session: null,
    turn,
    root: 't0',
    parent,
    chain: [],
    correlation: 'c',
    causation: null,
    attempt: 1,
    epoch: 0,
    agentSeq: position,
    daemon: 'd1',
    build: 'b',
  },
});

const steps = fc.array(
  fc.record({
    child: fc.nat(7),
    what: fc.constantFrom(
      ...(['tool', 'tool', 'tool', 'model', 'model', 'ack', 'ack', 'ack', 'ack'] as const),
      ...(['settle', 'settle', 'lose', 'restart'] as const),
    ),
    /** Tokens used, as a share of what was held. */
    used: fc.integer({ min: 0, max: 120 }),
  }),
  { minLength: 30, maxLength: 80, size: 'max' },
);
const few = fc.record({
  tools: fc.integer({ min: 1, max: 5 }),
  tokens: fc.integer({ min: 150, max: 900 }),
  hour: fc.integer({ min: 1, max: 5 }),
  day: fc.integer({ min: 150, max: 900 }),
});
// Eight turns, each below an earlier one.
const trees = fc
  .tuple(...Array.from({ length: 7 }, (_, index) => fc.nat(index)))
  .map((parents): readonly (number | null)[] => [null, ...parents]);

type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

/** Does one step and answers by how much a model call used more than was held for it. */
const act = (tree: Tree, { child: at, what, used }: Step): number => {
  const child = tree.children[at];
  if (child === undefined) return 0;
  if (what === 'tool') tree.startTool(child);
  if (what === 'model') tree.startModel(child);
  if (what === 'ack') tree.acknowledge(child);
  if (what === 'lose') child.waiting = null;
  if (what === 'restart') tree.restart();
  if (what !== 'settle' || child.flying === null) return 0;
  const held = child.flying;
  const real = Math.floor((held * used) / 100);
  tree.settle(child, real);
  return Math.max(0, real - held);
};

/** Caps that are passed, by name. */
const passed = (tree: Tree, caps: Caps, overrun: number): readonly string[] => {
  const spent = (one: Child): number => one.tokens + (one.flying ?? 0);
  const all = tree.children.flatMap(({ turn }) => [
    ...(tree.below(turn, (one) => one.tools) > caps.tools ? [`tools of ${turn}`] : []),
    ...(tree.below(turn, spent) > caps.tokens + overrun ? [`tokens of ${turn}`] : []),
  ]);
  return [
    ...all,
    ...(tree.below('t0', (one) => one.tools) > caps.hour ? ['actions of the hour'] : []),
    ...(tree.below('t0', spent) > caps.day + overrun ? ['money of the day'] : []),
  ];
};

describe('given turns of one tree that start work in any order', () => {
  it('never lets more calls start than a cap above them holds, nor spend more than was estimated too low', () => {
    fc.assert(
      fc.property(trees, few, steps, (parents, caps, all) => {
        const tree = new Tree(parents, caps);
        let overrun = 0;
        for (const step of all) {
          overrun += act(tree, step);
          const over = passed(tree, caps, overrun);
          if (over.length > 0) expect(over).toEqual([]);
        }
      }),
      { numRuns: 120 },
    );
  });

  it('uses each cap up to its last call', () => {
    const tree = new Tree([null, 0, 0], usual);
    const [root, left, right] = tree.children;
    if (root === undefined || left === undefined || right === undefined) throw new Error('no tree');
    const started = [left, right, left, right, root, left, right, root].map((child) => {
      const may = tree.startTool(child);
      tree.acknowledge(child);
      return may;
    });
    expect(started).toEqual([true, true, true, true, true, true, false, false]);
  });
});
