import { digestOfText, type PolicySnapshot } from '@lockstep/policy';
import type { Operand, ToolSpec } from '../events/parts.ts';
import { own } from '../tools/own.ts';
import { mcpIdentity } from '../tools/tool-id.ts';

/** What a person's decision is for, and nothing else. */
export interface Bound {
  readonly agent: string;
  readonly principal: string;
  readonly session: string;
  /** Canonical id. */
  readonly tool: string;
  /** Digest of the tool's spec. */
  readonly spec: string;
  readonly argsDigest: string;
  readonly operands: readonly Operand[];
  /** Where the call goes; see `destinationOf`. */
  readonly destination: string;
}

/** Lower-case hex SHA-256 of what a decision is for: one changed byte is another binding. Addresses stay out, since a name may
 * resolve otherwise a moment later; the gate judges them again. */
export const bindingOf = (bound: Bound): string =>
  // INVARIANT: a fixed order of fields in nested arrays, so that the JSON text is one to one with its parts.
  digestOfText(
    JSON.stringify([
      'binding/1',
      bound.agent,
      bound.principal,
      bound.session,
      bound.tool,
      bound.spec,
      bound.argsDigest,
      bound.operands.map(boundOperand),
      bound.destination,
    ]),
  );

/** Where a tool of this policy runs: a server with the digest of its config, or the program itself. */
export const destinationOf = (policy: PolicySnapshot, spec: ToolSpec): string => {
  const mcp = mcpIdentity(spec.id);
  if (mcp === null) return 'program';
  const server = own(policy.mcp.servers, mcp.server);
  return `mcp/${mcp.server}/${server?.digest ?? ''}`;
};

const boundOperand = (operand: Operand): readonly unknown[] => {
  switch (operand.kind) {
    case 'path':
      return [
        'path',
        operand.access,
        operand.given,
        operand.lexical,
        operand.real,
        operand.access !== 'read' && operand.exists,
        operand.content,
      ];
    case 'url':
      return ['url', operand.given, operand.scheme, operand.host, operand.port, operand.method];
    case 'command':
      return ['command', operand.given, operand.commands, operand.sandboxed];
    case 'memory':
      return ['memory', operand.access, operand.agents, operand.person, operand.row];
    case 'agent':
      return ['agent', operand.how, operand.given, operand.channel];
    case 'sop':
      return ['sop', operand.given];
    case 'job':
      return ['job', operand.given, operand.owner];
    case 'skill':
      return ['skill', operand.given, operand.bundle, operand.digest];
    case 'undeclared':
      return ['undeclared'];
  }
};
