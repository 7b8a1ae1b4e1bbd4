import type { EnforcedKey } from '@lockstep/policy';
import { anyOf, refusedUnder, witness, type Governed, type Witness } from './monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import { linesIn, processesOf } from './shell.monitor.ts';

/** Events in which a shell setting decided. */
export const shellWitnesses = {
  'shell.allowed_commands': anyOf(
    refusedUnder('shell.allowed_commands'),
    witness('ToolCallAuthorized', ({ event }) => {
      const command = linesIn(event.data.facts.operands)[0]?.commands[0];
      return command === undefined ? null : `${command.argv.join(' ')} is on the list`;
    }),
  ),
  'shell.env_passthrough': anyOf(
    refusedUnder('shell.env_passthrough'),
    witness('ToolCallCompleted', (at, turn) => {
      const passed = processIn(at, turn)?.env;
      if (passed === undefined) return null;
      return passed.length === 0
        ? "none of the daemon's variables was passed on"
        : `${passed.join(', ')} of the daemon's variables were passed on`;
    }),
  ),
  'shell.block_high_risk': anyOf(
    refusedUnder('shell.block_high_risk'),
    witness('ToolCallAuthorized', ({ event, policy }) => {
      const risky = linesIn(event.data.facts.operands)
        .flatMap(({ commands }) => commands)
        .find(({ highRisk }) => highRisk);
      return risky === undefined || policy.shell.block_high_risk
        ? null
        : `${risky.argv.join(' ')} may run other programs`;
    }),
  ),
  'shell.sandbox': anyOf(
    refusedUnder('shell.sandbox'),
    witness('ToolCallCompleted', (at, turn) => {
      const process = processIn(at, turn);
      if (process?.sandboxed === undefined) return null;
      return `${process.argv[0] ?? ''} ran ${process.sandboxed ? 'in' : 'outside'} the sandbox`;
    }),
  ),
} satisfies Record<Extract<EnforcedKey, `shell.${string}`>, Witness>;

function processIn(at: Governed<'ToolCallCompleted'>, turn: RecordedTurn) {
  return processesOf(turn).find((found) => found.at.event.id === at.event.id)?.process;
}
