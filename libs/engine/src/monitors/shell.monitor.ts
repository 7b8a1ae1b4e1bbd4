import type { EnforcedKey, PolicySnapshot } from '@lockstep/policy';
import type { Operand, Touched } from '../events/parts.ts';
import type { Objection } from '../projections/parity-matrix.view.ts';
import { touchesOf, usesOf } from './calls.ts';
import { commandAllowed } from './matcher.ts';
import { governed, objector, perTurn, type Monitor } from './monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';

type CommandOperand = Extract<Operand, { kind: 'command' }>;
type Executed = Extract<Touched, { kind: 'executed' }>;

/** The lines of shell among a call's operands. */
export const linesIn = (operands: readonly Operand[]): readonly CommandOperand[] =>
  operands.filter((operand) => operand.kind === 'command');

/** Lines of shell that were let through. */
const lines = perTurn((turn) =>
  usesOf(turn).flatMap(({ at, policy, operands }) =>
    linesIn(operands).map((line) => ({ at, policy, line })),
  ),
);

/** Processes that tools really ran. */
export const processesOf = perTurn((turn) =>
  touchesOf(turn).flatMap(({ at, start, touched }) =>
    touched.flatMap((process) =>
      process.kind === 'executed' ? [{ at, start, policy: start.policy, process }] : [],
    ),
  ),
);

const commands = objector('shell.allowed_commands');
/** Every command of every line that was let through is on the list, and what ran is what was judged. */
const commandsMonitor: Monitor = (turn) => [
  ...lines(turn).flatMap(({ at, policy, line }) => {
    const why = lineFault(policy, line);
    return why === null ? [] : [commands.violated(at, why)];
  }),
  ...processesOf(turn).flatMap(({ at, start, policy, process }) => {
    const { tool, operands } = start.event.data;
    if (tool !== 'builtin:shell' || wasJudged(linesIn(operands), process)) return [];
    return commandAllowed(policy.shell.allowed_commands, process.argv)
      ? []
      : [commands.violated(at, `\`${process.argv.join(' ')}\` ran, and is not on the list`)];
  }),
  ...wronglyRefused(turn, 'shell.allowed_commands', (policy, line) => {
    return line.understood && lineFault(policy, line) === null;
  }),
];

const highRisk = objector('shell.block_high_risk');
/** No program that runs programs is let through while that is blocked. */
const highRiskMonitor: Monitor = (turn) => [
  ...lines(turn).flatMap(({ at, policy, line }) => {
    const risky = line.commands.find((command) => command.highRisk);
    return risky !== undefined && policy.shell.block_high_risk
      ? [highRisk.violated(at, `\`${risky.argv.join(' ')}\` runs other programs`)]
      : [];
  }),
  ...processesOf(turn).flatMap(({ at, start, policy, process }) => {
    const program = programOf(process.argv);
    return start.event.data.tool === 'builtin:shell' &&
      policy.shell.block_high_risk &&
      runsPrograms.has(program) &&
      !wasJudged(linesIn(start.event.data.operands), process)
      ? [highRisk.violated(at, `\`${program}\` ran, which runs other programs`)]
      : [];
  }),
  ...wronglyRefused(turn, 'shell.block_high_risk', (policy, line) => {
    return !policy.shell.block_high_risk || (line.understood && line.commands.every(isPlain));
  }),
];

const sandbox = objector('shell.sandbox');
/** What an agent runs is confined where the policy requires it, and bare where it is written so. */
const sandboxMonitor: Monitor = (turn) => [
  ...lines(turn).flatMap(({ at, policy, line }) =>
    policy.shell.sandbox === 'required' && !line.sandboxed
      ? [sandbox.violated(at, 'a command was let through without the sandbox')]
      : [],
  ),
  ...governed(turn, 'ToolCallAuthorized').flatMap((at) => {
    const { tool, facts } = at.event.data;
    const bare = tool.startsWith('skill:') && !facts.confined;
    return bare && at.policy.shell.sandbox === 'required'
      ? [sandbox.violated(at, `\`${tool}\` was let through without the sandbox`)]
      : [];
  }),
  ...processesOf(turn).flatMap(({ at, policy, process }): readonly Objection[] => {
    if (policy.shell.sandbox === 'required' && process.sandboxed === false)
      return [sandbox.violated(at, `\`${process.argv[0] ?? ''}\` ran outside the sandbox`)];
    return policy.shell.sandbox === 'off' && process.sandboxed === true
      ? [sandbox.narrower(at, `\`${process.argv[0] ?? ''}\` ran in the sandbox, which is off`)]
      : [];
  }),
  ...governed(turn, 'ToolCallRefused').flatMap((at) =>
    at.event.data.rule === 'shell.sandbox' && at.policy.shell.sandbox !== 'required'
      ? [sandbox.narrower(at, 'the sandbox is not required')]
      : [],
  ),
];

const env = objector('shell.env_passthrough');
/** A process is given the variables that the policy names, and no other of the daemon's. */
const envMonitor: Monitor = (turn) =>
  processesOf(turn).flatMap(({ at, policy, process }) => {
    const more = process.env?.find((name) => !policy.shell.env_passthrough.includes(name));
    return more === undefined ? [] : [env.violated(at, `the variable \`${more}\` was passed on`)];
  });

export const shellMonitors = {
  'shell.allowed_commands': commandsMonitor,
  'shell.env_passthrough': envMonitor,
  'shell.block_high_risk': highRiskMonitor,
  'shell.sandbox': sandboxMonitor,
} satisfies Record<Extract<EnforcedKey, `shell.${string}`>, Monitor>;

/** Programs whose work is to run others. */
const runsPrograms: ReadonlySet<string> = new Set([
  'env',
  'xargs',
  'sh',
  'bash',
  'dash',
  'zsh',
  'eval',
  'source',
  'exec',
  'sudo',
  'nohup',
  'timeout',
]);

/** Why a line may not run under the list, or null. What is not understood is on no list. */
function lineFault(policy: PolicySnapshot, line: CommandOperand): string | null {
  if (!line.understood) return `\`${line.given}\` was let through without being understood`;
  const foreign = line.commands.find(
    ({ argv }) => !commandAllowed(policy.shell.allowed_commands, argv),
  );
  return foreign === undefined ? null : `\`${foreign.argv.join(' ')}\` is not on the list`;
}

/** The process is the shell that ran a judged line, or one of the line's own commands. */
function wasJudged(judged: readonly CommandOperand[], { argv }: Executed): boolean {
  const words = JSON.stringify(argv);
  return judged.some(
    (line) =>
      argv.includes(line.given) ||
      line.commands.some((command) => JSON.stringify(command.argv) === words),
  );
}

function isPlain({ argv, highRisk: risky }: CommandOperand['commands'][number]): boolean {
  return !risky && !runsPrograms.has(programOf(argv));
}

function programOf(argv: readonly string[]): string {
  return (argv[0] ?? '').replace(/^.*\//, '');
}

function wronglyRefused(
  turn: RecordedTurn,
  key: EnforcedKey,
  open: (policy: PolicySnapshot, line: CommandOperand) => boolean,
): readonly Objection[] {
  return governed(turn, 'ToolCallRefused').flatMap((at) => {
    const named = linesIn(at.event.data.facts.operands);
    return at.event.data.rule === key && named.length > 0 && named.every((l) => open(at.policy, l))
      ? [objector(key).narrower(at, 'every command of this call may run')]
      : [];
  });
}
