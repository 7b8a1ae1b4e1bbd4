import type { RootsFact, ToolScope, Touched } from '@lockstep/engine';
import type { PolicySnapshot } from '@lockstep/policy';
import type { Host } from '@lockstep/policy';
import type { SecretMasker } from '../secrets/secret-masker.ts';
import { rootsFactOf } from '../tools/roots-fact.ts';
import { ToolFailure, type ToolDone } from '../tools/tool-failure.ts';
import type { Running } from '../tools/tool-source.ts';
import { confined, type ReadOnlyFolder, type SandboxState, type Spawn } from './bubblewrap.ts';
import { KeptOutput } from './kept-output.ts';
import { childPath } from './program-paths.ts';
import { runProcess, type ProcessEnd } from './run-process.ts';
import { sandboxView } from './sandbox-view.ts';

export interface ProcessContext {
  readonly sandbox: SandboxState;
  readonly host: () => Host;
  readonly masker: Pick<SecretMasker, 'mask'>;
  /** Variables of the daemon: only those that a policy names reach a process. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A process that an agent causes. */
export interface AgentProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly stdin: string | null;
  /** Digest of what is run. */
  readonly digest: string;
  /** As it was judged. */
  readonly sandboxed: boolean;
  readonly beside: readonly ReadOnlyFolder[];
}

/** Whether a process of this policy would run in the sandbox of this machine. */
export const runsSandboxed = ({ shell }: PolicySnapshot, sandbox: SandboxState): boolean =>
  shell.sandbox !== 'off' && sandbox.ok;

/** Runs a process for an agent in its workspace: in the sandbox with the roots of its policy in sight and nothing else, without
 * network, with a cleared environment; bare only where it was judged so. */
export const runForAgent = async (
  context: ProcessContext,
  scope: ToolScope,
  process: AgentProcess,
  running: Running,
): Promise<ToolDone & { readonly masked: number }> => {
  const { policy } = scope;
  const roots = rootsFactOf(scope);
  const { root } = roots;
  if (root === null)
    throw new ToolFailure('unavailable', `the workspace \`${policy.workspace.root}\` is not there`);
  const passed = passedOn(policy, context.env);
  const start = process.sandboxed
    ? inSandbox(context, scope, { process, roots, root, passed })
    : bare(process, root, passed);
  running.touched.push(executed(process, Object.keys(passed)));
  const output = new KeptOutput(policy.budgets.max_tool_result_chars);
  const { signal } = running;
  const end = await runProcess(start, { cwd: root, stdin: process.stdin, output, signal });
  const shown = output.text(context.masker, scope);
  return {
    text: `${endText(end)}\n${shown.text}`.trimEnd(),
    isError: end.code !== 0,
    masked: shown.masked,
  };
};

const executed = (
  { command, args, digest, sandboxed }: AgentProcess,
  env: readonly string[],
): Touched => ({
  kind: 'executed',
  argv: [command, ...args],
  digest,
  sandboxed,
  env: [...env],
});

const endText = ({ code, signal }: ProcessEnd): string =>
  code === null ? `ended by ${signal ?? 'a signal'}` : `exit code ${code}`;

const passedOn = (
  { shell }: PolicySnapshot,
  env: ProcessContext['env'],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    shell.env_passthrough.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Programs of the system and nothing of this program's own. */
const program = { node: process.execPath, modules: [] };

const inSandbox = (
  { sandbox, host }: ProcessContext,
  { policy }: ToolScope,
  work: {
    readonly process: AgentProcess;
    readonly roots: RootsFact;
    readonly root: string;
    readonly passed: Readonly<Record<string, string>>;
  },
): Spawn => {
  if (!sandbox.ok)
    throw new ToolFailure('unavailable', `this machine has no sandbox: ${sandbox.reason}`);
  const seen = sandboxView(policy, work.roots);
  if (!seen.ok) throw new ToolFailure('unavailable', seen.message);
  const { base, data, config } = host();
  const { command, args, beside } = work.process;
  return confined(sandbox.bwrap, seen.view, program, {
    command,
    args,
    cwd: work.root,
    base,
    network: false,
    hidden: [data, config],
    env: work.passed,
    beside,
  });
};

const bare = (
  { command, args }: AgentProcess,
  root: string,
  passed: Readonly<Record<string, string>>,
): Spawn => ({
  command,
  args,
  env: { PATH: childPath(program), HOME: root, ...passed },
});
