import {
  loadShellReader,
  renderLine,
  type Operand,
  type ShellLine,
  type ShellRedirect,
  type StartedToolCall,
  type ToolScope,
} from '@lockstep/engine';
import { digestOf } from '@lockstep/policy';
import { runForAgent, runsSandboxed, type ProcessContext } from '../sandbox/agent-process.ts';
import { inspectPath, type PathOperand } from '../tools/inspect-path.ts';
import { rootsFactOf } from '../tools/roots-fact.ts';
import { outcomeOf, ToolFailure } from '../tools/tool-failure.ts';
import type { ToolSource } from '../tools/tool-source.ts';

type CommandOperand = Extract<Operand, { kind: 'command' }>;

const shell = '/bin/bash';

/** The tool that runs a line of shell. What runs is written anew from the line as it was read and judged, every word quoted. */
export const shellTool = (context: ProcessContext): ToolSource => ({
  owns: (id) => id === 'builtin:shell',
  inspect: async (scope, _spec, args) => {
    const { policy } = scope;
    const given = lineOf(args);
    const line = (await loadShellReader())(given);
    const files = line.understood
      ? await filesOf(policy.workspace.root, line.redirects)
      : { ok: true as const, operands: [] };
    const known: ShellLine = files.ok ? line : { understood: false, why: files.why };
    const operands = files.ok ? files.operands : [];
    return {
      operands: [commandOperand(given, known, runsSandboxed(policy, context.sandbox)), ...operands],
      roots: operands.length > 0 ? rootsFactOf(scope) : null,
      confined: false,
    };
  },
  run: (scope, started, args, running) =>
    outcomeOf(async () => {
      const operand = started.event.data.operands.find((o) => o.kind === 'command');
      if (operand === undefined) throw new ToolFailure('protocol', 'no line was authorized');
      if (lineOf(args) !== operand.given)
        throw new ToolFailure('protocol', 'a secret cannot stand in a line of shell');
      const text = await textToRun(operand.given, started, scope);
      const process = {
        command: shell,
        args: ['--norc', '--noprofile', '-c', text, operand.given],
        stdin: null,
        digest: digestOf([shell, text]),
        sandboxed: operand.sandboxed,
        beside: [],
      };
      return runForAgent(context, scope, process, running);
    }, running.touched),
});

const lineOf = (args: unknown): string => {
  const value: unknown =
    typeof args === 'object' && args !== null ? Reflect.get(args, 'command') : null;
  return typeof value === 'string' ? value : '';
};

const commandOperand = (given: string, line: ShellLine, sandboxed: boolean): CommandOperand => ({
  kind: 'command',
  given,
  understood: line.understood,
  why: line.why,
  commands: line.understood
    ? line.commands.map(({ argv, highRisk }) => ({ argv: [...argv], highRisk }))
    : [],
  sandboxed,
});

type Files =
  | { readonly ok: true; readonly operands: readonly PathOperand[] }
  | { readonly ok: false; readonly why: string };

/** The files that a line redirects to or from. A name that leads to a device is no file: shells take some for connections. */
const filesOf = async (root: string, redirects: readonly ShellRedirect[]): Promise<Files> => {
  const operands: PathOperand[] = [];
  for (const { target, access } of redirects) {
    const operand = await inspectPath(root, target, access);
    if (isDevice(operand.lexical) || (operand.real !== null && isDevice(operand.real)))
      return { ok: false, why: 'it redirects to a device' };
    operands.push(operand);
  }
  return { ok: true, operands };
};

const isDevice = (path: string): boolean => path === '/dev' || path.startsWith('/dev/');

/** The line with the real paths that were authorized in the places of its redirects. */
const textToRun = async (
  given: string,
  started: StartedToolCall,
  { policy }: ToolScope,
): Promise<string> => {
  const line = (await loadShellReader())(given);
  if (!line.understood) throw new ToolFailure('protocol', 'the line is not understood');
  const authorized = started.event.data.operands.filter((o) => o.kind === 'path');
  const targets: string[] = [];
  for (const [i, { target, access }] of line.redirects.entries()) {
    const operand = authorized[i];
    if (operand?.given !== target || operand.access !== access || operand.real === null)
      throw new ToolFailure('protocol', `no file \`${target}\` was authorized`);
    const now = await inspectPath(policy.workspace.root, target, access);
    if (now.real !== operand.real || now.content !== operand.content)
      throw new ToolFailure('late_swap', `\`${target}\` is not what was authorized any more`);
    targets.push(operand.real);
  }
  return renderLine(line, targets);
};
