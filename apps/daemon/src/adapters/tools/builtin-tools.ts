import {
  operandPointers,
  type Clock,
  type Operand,
  type StartedToolCall,
  type ToolScope,
} from '@lockstep/engine';
import type { FileCall } from './file-call.ts';
import { httpFetchTool } from './http-fetch.ts';
import { inspectPath } from './inspect-path.ts';
import { inspectUrl, type Resolver } from './inspect-url.ts';
import { listFolderTool } from './list-folder.ts';
import { readFileTool } from './read-file.ts';
import { rootsFactOf } from './roots-fact.ts';
import { searchFilesTool } from './search-files.ts';
import type { Running, ToolSource } from './tool-source.ts';
import { timeNowTool } from './time-now.ts';
import { outcomeOf, ToolFailure, ToolSays, type ToolDone } from './tool-failure.ts';
import { editFileTool, writeFileTool } from './write-file.ts';

export interface BuiltinContext {
  readonly clock: Clock;
  readonly resolver: Resolver;
}

const fileTools: Readonly<Record<string, (call: FileCall) => Promise<ToolDone>>> = {
  'builtin:file_read': readFileTool,
  'builtin:file_write': writeFileTool,
  'builtin:file_edit': editFileTool,
  'builtin:file_list': listFolderTool,
  'builtin:file_search': searchFilesTool,
};

const plain: ReadonlySet<string> = new Set(['builtin:http_fetch', 'builtin:time_now']);

/** Files, the network and the clock. */
export const builtinTools = (context: BuiltinContext): ToolSource => ({
  owns: (id) => id in fileTools || plain.has(id),
  inspect: async (scope, spec, args) => {
    const operands: Operand[] = [];
    const { root } = scope.policy.workspace;
    for (const { declared, given } of operandPointers(spec, args).found)
      operands.push(
        declared.kind === 'path'
          ? await inspectPath(root, given, declared.access)
          : await inspectUrl(scope.policy, given, methodOf(args), context.resolver),
      );
    // A search without a path is a search of the workspace, and judged as such.
    if (operands.length === 0 && spec.id === 'builtin:file_search')
      operands.push(await inspectPath(root, '.', 'read'));
    const files = operands.some((o) => o.kind === 'path');
    return {
      operands,
      roots: files ? rootsFactOf(scope) : null,
      confined: false,
    };
  },
  run: (scope, started, args, running) =>
    outcomeOf(() => perform(context, { scope, started, args, ...running }), running.touched),
});

interface Performed extends Running {
  readonly scope: ToolScope;
  readonly started: StartedToolCall;
  readonly args: Readonly<Record<string, unknown>>;
}

const perform = (context: BuiltinContext, call: Performed): Promise<ToolDone> => {
  const { id } = call.started.spec;
  const file = fileTools[id];
  if (file !== undefined) return file(fileCall(call));
  if (id === 'builtin:http_fetch') {
    const operand = call.started.event.data.operands.find((o) => o.kind === 'url');
    if (operand === undefined) throw new ToolFailure('protocol', 'no address was authorized');
    return httpFetchTool({ ...call, operand });
  }
  if (id === 'builtin:time_now') {
    const zone = call.args['timezone'];
    return Promise.resolve(
      timeNowTool(context.clock.now(), typeof zone === 'string' ? zone : 'UTC'),
    );
  }
  throw new ToolFailure('protocol', `\`${id}\` is not run by the tools`);
};

const fileCall = ({ scope, started, args, signal, touched }: Performed): FileCall => {
  const operand = started.event.data.operands.find((o) => o.kind === 'path');
  if (operand === undefined || operand.real === null)
    throw new ToolFailure('protocol', 'no path was authorized');
  if (args['path'] !== undefined && args['path'] !== operand.given)
    throw new ToolFailure('protocol', 'a secret cannot stand in a path');
  if (!operand.exists && started.spec.id !== 'builtin:file_write')
    throw new ToolSays(`there is no \`${operand.given}\``);
  const { policy } = scope;
  const roots = rootsFactOf(scope);
  return { args, operand, real: operand.real, policy, roots, signal, touched };
};

const methodOf = (args: unknown): string =>
  typeof args === 'object' && args !== null && 'method' in args && typeof args.method === 'string'
    ? args.method
    : 'GET';
