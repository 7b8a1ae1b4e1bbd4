import { rootsFactOf } from '../tools/roots-fact.ts';
import type { ToolScope } from '@lockstep/engine';
import { digestOf, type McpServerConfig } from '@lockstep/policy';
import { grantedFolders } from '../sandbox/sandbox-view.ts';
import { ServerUnavailable, type McpContext } from './mcp-context.ts';
import type { McpConnection } from './mcp-connection.ts';

/** A live connection with what stands about it in events. */
export interface Held {
  readonly connection: McpConnection;
  /** Digest of (agent, principal, session, roots, server) or (agent, server). */
  readonly key: string;
  /** Digest of the workspace that it was opened with. */
  readonly workspace: string;
  readonly roots: readonly string[];
  readonly sandboxed: boolean;
}

interface Entry {
  readonly held: Promise<Held>;
  readonly workspace: string;
  users: number;
  idle: NodeJS.Timeout | null;
}

const mostConnections = 64;
/** First pause after a server did not start; doubled with each further try, up to the longest. */
const retryMs = 5_000;
const longestRetryMs = 300_000;

interface Failure {
  readonly until: number;
  readonly pause: number;
  readonly message: string;
}

/** Connections by who works with which server under which roots. Opened on first use, closed when idle, opened anew after the
 * server died; a server that does not start is left alone for a while. */
export class ConnectionPool {
  readonly #context: McpContext;
  readonly #entries = new Map<string, Entry>();
  readonly #failed = new Map<string, Failure>();

  constructor(context: McpContext) {
    this.#context = context;
  }

  /** Runs `work` with the connection of this scope; it stays open at least until the work ends.
   * @throws ServerUnavailable when there is none */
  async use<T>(scope: ToolScope, server: string, work: (held: Held) => Promise<T>): Promise<T> {
    const key = keyOf(scope, server);
    const entry = this.#entry(scope, server, key);
    entry.users += 1;
    if (entry.idle !== null) clearTimeout(entry.idle);
    entry.idle = null;
    try {
      return await work(await entry.held);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.#closeWhenIdle(key, entry);
    }
  }

  /** Whether the connection that a call would use sees exactly the roots of this policy. */
  matchesWorkspace(scope: ToolScope, server: string): boolean {
    const open = this.#entries.get(keyOf(scope, server));
    return open === undefined || open.workspace === digestOf(scope.policy.workspace);
  }

  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const entry of entries) if (entry.idle !== null) clearTimeout(entry.idle);
    await Promise.allSettled(
      entries.map(async ({ held }) => {
        await (await held).connection.close();
      }),
    );
  }

  #entry(scope: ToolScope, server: string, key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const failed = this.#failed.get(key);
    if (failed !== undefined && this.#context.clock.now() < failed.until)
      throw new ServerUnavailable(failed.message);
    this.#makeRoom();
    const entry: Entry = {
      held: this.#open(scope, server, key),
      workspace: digestOf(scope.policy.workspace),
      users: 0,
      idle: null,
    };
    entry.held.catch((error: unknown) => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      const message = error instanceof Error ? error.message : String(error);
      if (this.#failed.size > 1_000) this.#failed.clear();
      const pause = Math.min(longestRetryMs, (failed?.pause ?? retryMs / 2) * 2);
      this.#failed.set(key, { until: this.#context.clock.now() + pause, pause, message });
    });
    this.#entries.set(key, entry);
    return entry;
  }

  async #open(scope: ToolScope, server: string, key: string): Promise<Held> {
    const config = this.#config(scope, server);
    const { McpConnection } = await import('./mcp-connection.ts');
    const { openTransport } = await import('./open-transport.ts');
    const fact = rootsFactOf(scope);
    const granted = grantedFolders(scope.policy, fact).map((f) => f.path);
    // Servers read a relative path from their first root, and the gate judged it from the agent's own folder.
    const roots = granted.toSorted((a, b) => Number(b === fact.root) - Number(a === fact.root));
    const stdio = config.transport === 'stdio';
    const opened =
      (await this.#context.open?.(server, config, scope)) ??
      (await openTransport(config, scope, fact, this.#context));
    const connection = await McpConnection.open(opened, stdio ? roots : null, () => {
      this.#entries.delete(key);
    });
    this.#failed.delete(key);
    return {
      connection,
      key,
      workspace: digestOf(scope.policy.workspace),
      roots: stdio ? roots : [],
      sandboxed: stdio && config.run === 'sandboxed',
    };
  }

  #config({ policy }: ToolScope, server: string): McpServerConfig {
    const entry = policy.mcp.servers[server];
    const config = entry === undefined ? null : this.#context.server(server, entry.digest);
    if (config === null) throw new ServerUnavailable('it is not in the config any more');
    if (config.transport === 'stdio' && config.run !== policy.mcp.run[server])
      throw new ServerUnavailable('its `run` is not what the policy says');
    return config;
  }

  #closeWhenIdle(key: string, entry: Entry): void {
    if (entry.idle !== null) clearTimeout(entry.idle);
    entry.idle = setTimeout(() => {
      this.#drop(key, entry);
    }, this.#context.idleMs);
    entry.idle.unref();
  }

  #drop(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    entry.held.then(({ connection }) => connection.close()).catch(() => undefined);
  }

  #makeRoom(): void {
    if (this.#entries.size < mostConnections) return;
    for (const [key, entry] of this.#entries)
      if (entry.users === 0) {
        if (entry.idle !== null) clearTimeout(entry.idle);
        this.#drop(key, entry);
        return;
      }
    throw new ServerUnavailable(`${mostConnections} connections are in use; try again later`);
  }
}

const keyOf = ({ agent, principal, session, policy }: ToolScope, server: string): string => {
  const digest = policy.mcp.servers[server]?.digest ?? '';
  return digestOf(
    policy.mcp.share[server] === 'agent'
      ? { agent, server, digest }
      : {
          agent,
          principal: { kind: principal.kind, id: principal.id },
          session,
          roots: policy.workspace,
          server,
          digest,
        },
  );
};
