import {
  actsFor,
  type Operand,
  type OperandFacts,
  type StartedToolCall,
  type ToolOutcome,
  type ToolScope,
  type Touched,
} from '@lockstep/engine';
import { aliasSchema } from '@lockstep/policy';
import type { Running, ToolSource } from '../tools/tool-source.ts';
import type { CurrentConfig } from '../../config/current-config.port.ts';
import { childResult } from '../../turns/child-result.ts';
import type { LaunchResult, TurnRequest, Turns } from '../../turns/turns.port.ts';
import { parsePeer } from '../../paths/channel/peer.path.ts';
import { parseSubagent } from '../../paths/loop/subagent.path.ts';
import { childTurn } from '../../paths/delegate/child-wire.ts';
import { parseDelegate } from '../../paths/delegate/delegate.path.ts';
import { sharedGroup } from '../../paths/delegate/shared-group.ts';

type Args = Readonly<Record<string, unknown>>;

export interface ChildToolsParts {
  readonly turns: Pick<Turns, 'launch' | 'ended' | 'link'>;
  readonly config: CurrentConfig;
}

/** A call that starts a turn: whose, and whether the call waits for it. */
interface Start {
  readonly agent: string;
  readonly request: TurnRequest;
  readonly background: boolean;
  /** What a call that does not wait is told. */
  readonly said: string;
}

/** `delegate`, `spawn` and `message_peer`. A call fixes the id of its turn when it starts; carrying it out again finds that turn. */
export const childTools = (parts: ChildToolsParts): ToolSource => ({
  owns: (id) => Object.hasOwn(tools, id),
  inspect: (scope, spec, args, call) => Promise.resolve(inspected(scope, spec.id, { args, call })),
  run: async (scope, started, args, running) => {
    const start = startOf(scope, started, { args, config: parts.config });
    return start === null
      ? failed('protocol', 'the call names no turn that it starts')
      : perform(parts, scope, { start, started, running });
  },
});

interface Tool {
  readonly operand: (scope: ToolScope, args: Args) => Extract<Operand, { kind: 'agent' }>;
  readonly start: (wire: Wire) => Start;
}

interface Wire {
  readonly from: Parameters<typeof parseDelegate>[0]['from'];
  readonly child: string;
  readonly args: Args;
  readonly config: CurrentConfig;
}

const tools: Readonly<Record<string, Tool>> = {
  'builtin:delegate': {
    operand: (_, args) => operand('delegate', textOf(args['agent'])),
    start: ({ from, child, args }) => {
      const agent = textOf(args['agent']);
      const wire = { from, child, args: { agent, input: textOf(args['input']) } };
      return { agent, request: parseDelegate(wire), ...waiting(args, agent) };
    },
  },
  'builtin:spawn': {
    operand: ({ agent }) => operand('spawn', agent),
    start: ({ from, child, args }) => {
      const list = patternsOf(args['tools']);
      const wanted = { input: textOf(args['input']), ...(list === null ? {} : { tools: list }) };
      const request = parseSubagent({ from, child, args: wanted });
      return { agent: from.agent, request, ...waiting(args, from.agent) };
    },
  },
  'builtin:message_peer': {
    operand: (_, args) => ({
      ...operand('message', textOf(args['agent'])),
      channel: textOf(args['channel']),
    }),
    start: ({ from, child, args, config }) => {
      const agent = textOf(args['agent']);
      const channel = textOf(args['channel']);
      const group = sharedGroup(config.current().config, channel, [from.agent, agent]);
      const wire = { from, child, group, args: { agent, channel, text: textOf(args['text']) } };
      const said = `the message was delivered to agent \`${agent}\`: an answer comes as a message while you work`;
      return { agent, request: parsePeer(wire), background: true, said };
    },
  },
};

const operand = (
  how: 'delegate' | 'spawn' | 'message',
  given: string,
): Extract<Operand, { kind: 'agent' }> => ({ kind: 'agent', given, how, channel: null });

const waiting = (args: Args, agent: string): Pick<Start, 'background' | 'said'> => ({
  background: args['background'] === true,
  said: `agent \`${agent}\` has begun: its reply comes as a message while you work`,
});

const inspected = (
  scope: ToolScope,
  id: string,
  { args, call }: { readonly args: unknown; readonly call: string },
): OperandFacts => {
  const touches = tools[id]?.operand(scope, isArgs(args) ? args : {});
  if (touches === undefined) return { operands: [], roots: null, confined: false };
  const alias = aliasSchema.safeParse(touches.given);
  const child = { turn: childTurn(scope.turn, call), agent: alias.success ? alias.data : null };
  return { operands: [touches], roots: null, confined: false, children: [child] };
};

const startOf = (
  scope: ToolScope,
  { event, spec }: StartedToolCall,
  { args, config }: { readonly args: Args; readonly config: CurrentConfig },
): Start | null => {
  const [child] = event.data.children ?? [];
  if (child === undefined) return null;
  const { agent, turn, principal } = scope;
  const from = { agent, turn, call: event.data.call, ...actsFor(principal) };
  return tools[spec.id]?.start({ from, child: child.turn, args, config }) ?? null;
};

const perform = async (
  { turns }: ChildToolsParts,
  scope: ToolScope,
  {
    start,
    started,
    running,
  }: { readonly start: Start; readonly started: StartedToolCall; readonly running: Running },
): Promise<ToolOutcome> => {
  const { agent, request, background, said } = start;
  const launched = await turns.launch(request);
  if (launched.kind !== 'accepted') return notBegun(launched, running.signal);
  const { turn } = launched;
  running.touched.push({ kind: 'child', turn, agent });
  const { call } = started.event.data;
  await turns.link(scope.turn, { call, turn, agent, background });
  if (background) return done({ text: said, isError: false }, running.touched);
  const answer = await turns.ended(turn, running.signal);
  const result = answer === null ? null : childResult(answer);
  // Nothing came of it here: the daemon stops, or the caller has been stopped.
  return result === null ? aborted(running.signal) : done(result, running.touched);
};

const notBegun = (
  launched: Exclude<LaunchResult, { kind: 'accepted' }>,
  signal: AbortSignal,
): Promise<ToolOutcome> | ToolOutcome => {
  if (launched.kind !== 'refused')
    return failed('protocol', 'the turn could not be begun under its own id');
  if (launched.turn !== null) return done({ text: launched.message, isError: true }, []);
  return launched.code === 'stopped' ? aborted(signal) : failed('unavailable', launched.message);
};

/** Resolves when nobody waits any more. */
const aborted = (signal: AbortSignal): Promise<ToolOutcome> =>
  new Promise((resolve) => {
    const end = (): void => {
      resolve(failed('unavailable', 'the call was cancelled'));
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

const done = (
  { text, isError }: { readonly text: string; readonly isError: boolean },
  touched: readonly Touched[],
): ToolOutcome => ({ ok: true, text, isError, masked: 0, touched: [...touched] });

const failed = (kind: 'protocol' | 'unavailable', message: string): ToolOutcome => ({
  ok: false,
  kind,
  message,
  touched: [],
});

const isArgs = (args: unknown): args is Args => typeof args === 'object' && args !== null;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const patternsOf = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null;
