import type { EnforcedKey } from '@lockstep/policy';
import { anyOf, refusedUnder, witness, type Governed, type Witness } from './monitor.ts';
import { connections } from './mcp.monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import { mcpTool, onlyReads, own } from './tool-facts.ts';

/** Events in which an MCP setting decided. */
export const mcpWitnesses = {
  'mcp.bundles': anyOf(
    refusedUnder('mcp.bundles'),
    witness('ToolCallRefused', ({ event, policy }) => {
      const { rule, alias } = event.data;
      const mcp = mcpTool(alias);
      const elsewhere = mcp !== null && !Object.hasOwn(policy.mcp.servers, mcp.server);
      return rule === 'gate.unknown_tool' && elsewhere ? `${alias} does not exist here` : null;
    }),
    witness('ToolCallAuthorized', ({ event }) => {
      const mcp = mcpTool(event.data.tool);
      return mcp === null ? null : `${event.data.tool} is there through a bundle`;
    }),
  ),
  'mcp.expose': anyOf(
    refusedUnder('mcp.expose'),
    witness('ToolCallRefused', ({ event, policy }) => {
      const { rule, alias } = event.data;
      const mcp = mcpTool(alias);
      const known = mcp !== null && Object.hasOwn(policy.mcp.servers, mcp.server);
      return rule === 'gate.unknown_tool' && known ? `${alias} is not exposed` : null;
    }),
  ),
  'mcp.effects': anyOf(
    refusedUnder('mcp.effects'),
    witness('ToolCallAuthorized', ({ event, policy }) => {
      const { tool, by } = event.data;
      const mcp = mcpTool(tool);
      const told = mcp === null ? undefined : own(own(policy.mcp.effects, mcp.server), mcp.name);
      return by === 'autonomy' && policy.approval.autonomy !== 'full' && told && onlyReads(told)
        ? `${tool} is declared to read only, so nobody was asked`
        : null;
    }),
  ),
  'mcp.operands': anyOf(
    refusedUnder('mcp.operands'),
    witness('ToolCallAuthorized', (at) => declaredOperand(at)),
    witness('ToolCallRefused', (at) => declaredOperand(at)),
  ),
  'mcp.run': anyOf(
    refusedUnder('mcp.run'),
    witness('ToolCallCompleted', (at, turn) => {
      const touch = touched(at, turn);
      if (touch === undefined) return null;
      return `${touch.server} ran ${touch.sandboxed ? 'in the sandbox' : 'as a trusted process'}`;
    }),
  ),
  'mcp.share': anyOf(
    refusedUnder('mcp.share'),
    witness('ToolCallCompleted', (at, turn) => {
      const touch = touched(at, turn);
      const how = touch === undefined ? undefined : own(at.policy.mcp.share, touch.server);
      if (touch === undefined || how === undefined) return null;
      return `${touch.server} was reached over a connection of this ${how}`;
    }),
  ),
} satisfies Record<Extract<EnforcedKey, `mcp.${string}`>, Witness>;

function touched(at: Governed<'ToolCallCompleted'>, turn: RecordedTurn) {
  return connections(turn).find(({ event }) => event.id === at.event.id)?.touch;
}

/** A path or address of an MCP call was judged because its place in the arguments is declared. */
function declaredOperand(at: Governed<'ToolCallAuthorized'> | Governed<'ToolCallRefused'>) {
  const { tool, facts } = at.event.data;
  if (tool === null || mcpTool(tool) === null) return null;
  const found = facts.operands.find((operand) => 'given' in operand);
  return found === undefined ? null : `${tool} was judged by its operand ${found.given}`;
}
