import type { Clock, ToolScope, ToolSpec } from '@lockstep/engine';
import type { Host, McpServerConfig, Principal } from '@lockstep/policy';
import type { SandboxState } from '../sandbox/bubblewrap.ts';
import type { OpenedTransport } from './open-transport.ts';
import type { ProgramPaths } from '../sandbox/program-paths.ts';
import type { SecretSource } from '../secrets/secret-ref.ts';

/** What a server offered on a connection, after `expose`. */
export interface ListedFact {
  readonly agent: string;
  readonly principal: Principal;
  readonly session: string;
  readonly server: string;
  readonly connection: string;
  readonly tools: readonly ToolSpec[];
  /** Tools that the server has and the agent is not shown. */
  readonly hidden: number;
}

/** What MCP connections need of the daemon. */
export interface McpContext {
  /** A server's entry by alias and digest, from the newest config that holds it; null when none does. */
  readonly server: (alias: string, digest: string) => McpServerConfig | null;
  readonly host: () => Host;
  readonly secrets: SecretSource;
  /** Told of each secret value that is read, before it is used. */
  readonly know: (name: string, value: string) => void;
  readonly sandbox: SandboxState;
  readonly program: ProgramPaths;
  /** Records what was listed; a list is not used before this resolves. */
  readonly onListed: (fact: ListedFact) => Promise<void>;
  readonly clock: Clock;
  /** A connection without a call for so long is closed. */
  readonly idleMs: number;
  /** Opens the way to something that stands in place of the server, for probes alone. */
  readonly open?:
    | ((alias: string, config: McpServerConfig, scope: ToolScope) => Promise<OpenedTransport>)
    | undefined;
}

/** A server that cannot be reached; nothing was handed over. */
export class ServerUnavailable extends Error {
  readonly code = 'server_unavailable';
}
