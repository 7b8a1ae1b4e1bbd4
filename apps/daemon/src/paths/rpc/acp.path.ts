import type { Narrowing, Principal } from '@lockstep/policy';
import type { TurnRequest } from '../../turns/turns.port.ts';

/** A client of ACP brings no tool servers and gets none: that is what it chose by speaking ACP. */
export const acpTakes: Narrowing = { 'mcp.bundles': [] };

/** A block of a prompt, as far as it is text. */
export type PromptBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'resource_link'; readonly name: string; readonly uri: string };

/** `session/prompt` as it comes in: agent and folder were settled when connection and session were opened. */
export interface AcpWire {
  readonly connection: string;
  readonly principal: Principal;
  readonly agent: string;
  readonly sessionId: string;
  /** The real path of the folder that the client opened its session in. */
  readonly cwd: string;
  readonly prompt: readonly PromptBlock[];
}

/** The request behind the wire form. The client's folder is what only the client can say, and can only narrow. */
export const parseAcp = (wire: AcpWire): TurnRequest => ({
  agent: wire.agent,
  principal: wire.principal,
  session: wire.sessionId,
  origin: { kind: 'acp', connection: wire.connection },
  client: { 'workspace.root': wire.cwd },
  input: wire.prompt.map(textOf).join('\n'),
  idempotency: null,
  listening: true,
});

/** The wire form of a request that came by ACP: parsing it again gives the same request. */
export const encodeAcp = (request: TurnRequest): AcpWire | null => {
  const { origin, client, session } = request;
  if (origin.kind !== 'acp' || client === 'none' || session === null) return null;
  const cwd = client['workspace.root'];
  if (typeof cwd !== 'string' || request.idempotency !== null || !request.listening) return null;
  return {
    connection: origin.connection,
    principal: request.principal,
    agent: request.agent,
    sessionId: session,
    cwd,
    prompt: [{ type: 'text', text: request.input }],
  };
};

const textOf = (block: PromptBlock): string =>
  block.type === 'text' ? block.text : `[${block.name}](${block.uri})`;
