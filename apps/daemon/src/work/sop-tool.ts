import {
  actsFor,
  operandPointers,
  type Operand,
  type StartedToolCall,
  type ToolScope,
  type Touched,
} from '@lockstep/engine';
import { digestOf } from '@lockstep/policy';
import { outcomeOf, ToolFailure, ToolSays, type ToolDone } from '../adapters/tools/tool-failure.ts';
import type { ToolSource } from '../adapters/tools/tool-source.ts';
import type { CurrentConfig } from '../config/current-config.port.ts';
import type { SopRuns } from '../paths/sop/sop-runs.port.ts';

/** The run that a call starts: it follows from turn and call, so that a restart finds it again. */
export const runOfCall = (turn: string, call: string): string =>
  digestOf(['sop-run', turn, call]).slice(0, 32);

/** Starts a procedure as a part of the calling turn, and waits for its end. Called again after a restart it goes on with the same run. */
export const sopTool = (parts: {
  readonly sops: SopRuns;
  readonly config: CurrentConfig;
}): ToolSource => ({
  owns: (id) => id === 'builtin:sop_start',
  inspect: (scope, spec, args, call) => {
    const { sops } = parts.config.current().config;
    const operands = operandPointers(spec, args).found.map(({ given }): Operand => {
      return { kind: 'sop', given, exists: Object.hasOwn(sops, given) };
    });
    const children = [{ turn: runOfCall(scope.turn, call), agent: null }];
    return Promise.resolve({ operands, roots: null, confined: false, children });
  },
  run: (scope, started, args, { signal, touched }) =>
    outcomeOf(() => perform(parts.sops, { scope, started, args, signal, touched }), touched),
});

const perform = async (
  sops: SopRuns,
  call: {
    readonly scope: ToolScope;
    readonly started: StartedToolCall;
    readonly args: Readonly<Record<string, unknown>>;
    readonly signal: AbortSignal;
    readonly touched: Touched[];
  },
): Promise<ToolDone> => {
  const { scope, started, args, signal, touched } = call;
  const { name, input } = args;
  if (typeof name !== 'string' || typeof input !== 'string')
    throw new ToolFailure('protocol', 'the arguments are no texts');
  const { call: id } = started.event.data;
  const { agent, principal, turn } = scope;
  const run = runOfCall(turn, id);
  const begun = await sops.start({
    sop: name,
    input,
    run,
    by: { kind: 'agent', id: agent, ...actsFor(principal) },
    from: { kind: 'tool', agent, parent: { turn, call: id } },
  });
  if (begun.kind === 'refused') {
    if (begun.code === 'disk_full' || begun.code === 'stopped')
      throw new ToolFailure('unavailable', begun.message);
    throw new ToolSays(begun.message);
  }
  touched.push({ kind: 'sop', run, sop: name });
  const ended = await sops.ended(run, signal);
  if (ended === null)
    throw new ToolFailure('unavailable', 'the end of the procedure was not waited for');
  const { outcome } = ended;
  if (outcome.kind === 'completed') return { text: outcome.output };
  return { text: `the procedure failed: ${outcome.message}`, isError: true };
};
