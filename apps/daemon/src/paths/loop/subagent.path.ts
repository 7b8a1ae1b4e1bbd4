import { normalizeToolPattern, type Narrowing } from '@lockstep/policy';
import type { TurnRequest } from '../../turns/turns.port.ts';
import { childRequest, sameAgain, starterOf, type ChildWire } from '../delegate/child-wire.ts';

/** A call of `spawn` as it is carried out. */
export type SubagentWire = ChildWire<{
  readonly input: string;
  /** Patterns of tools; absent takes nothing away. */
  readonly tools?: readonly string[];
}>;

/** The request behind a call: the same agent, with the tools that the call leaves of its own. */
export const parseSubagent = (wire: SubagentWire): TurnRequest => {
  const { input, tools } = wire.args;
  const origin = { kind: 'subagent', parent: wire.from.turn } as const;
  return childRequest(wire, { agent: wire.from.agent, origin, input, spawn: narrowingOf(tools) });
};

/** The wire form of a request for a sub-agent; parsing it again gives the same request. */
export const encodeSubagent = (request: TurnRequest): SubagentWire | null => {
  const started = starterOf(request, 'subagent');
  if (started === null) return null;
  const tools = toolsOf(request.spawn ?? {});
  const args = { input: request.input, ...(tools === null ? {} : { tools }) };
  return sameAgain({ ...started, args }, parseSubagent, request);
};

const narrowingOf = (tools: readonly string[] | undefined): Narrowing =>
  tools === undefined ? {} : { 'tools.allowed': [tools.map(normalizeToolPattern)] };

const toolsOf = (spawn: Narrowing): string[] | null => {
  const clauses = spawn['tools.allowed'];
  const [clause] = Array.isArray(clauses) ? clauses : [];
  return Array.isArray(clause) ? clause.filter((one) => typeof one === 'string') : null;
};
