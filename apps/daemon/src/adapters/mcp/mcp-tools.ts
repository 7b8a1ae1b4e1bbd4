import {
  operandPointers,
  type Operand,
  type ToolOutcome,
  type ToolScope,
  type ToolSpec,
  type Touched,
} from '@lockstep/engine';
import { digestOf } from '@lockstep/policy';
import type { ToolSource } from '../tools/tool-source.ts';
import { inspectForeignPath } from '../tools/inspect-path.ts';
import { inspectUrl, type Resolver } from '../tools/inspect-url.ts';
import { rootsFactOf } from '../tools/roots-fact.ts';
import { ConnectionPool, type Held } from './connection-pool.ts';
import { exposedTools } from './listed-tools.ts';
import type { CallEnd } from './mcp-connection.ts';
import type { McpContext } from './mcp-context.ts';
import { resultText } from './result-text.ts';

export interface McpTools extends ToolSource {
  list(scope: ToolScope): Promise<{
    readonly tools: readonly ToolSpec[];
    readonly problems: readonly { readonly server: string; readonly message: string }[];
  }>;
  close(): Promise<void>;
}

/** Servers of the bundles that a policy names, as one source of tools. */
export const mcpTools = (context: McpContext, resolver: Resolver): McpTools => {
  const pool = new ConnectionPool(context);
  const recorded = new Map<string, string>();
  return {
    owns: (id) => id.startsWith('mcp:'),
    list: async (scope) => {
      const listed = await Promise.all(
        Object.keys(scope.policy.mcp.servers).map((server) =>
          pool
            .use(scope, server, (held) => listServer(context, recorded, { scope, server, held }))
            .catch((error: unknown) => ({ tools: [], problems: [messageOf(error)], server })),
        ),
      );
      return {
        tools: listed.flatMap((l) => l.tools),
        problems: listed.flatMap((l) =>
          l.problems.map((message) => ({ server: l.server, message })),
        ),
      };
    },
    inspect: async (scope, spec, args) => {
      const { server } = partsOf(spec.id);
      const operands = await operandsOf(scope, spec, args, resolver);
      const files = operands.some((o) => o.kind === 'path');
      return {
        operands,
        roots: files ? rootsFactOf(scope) : null,
        confined: isConfined(context, scope, server) && pool.matchesWorkspace(scope, server),
      };
    },
    run: async (scope, started, args, { signal, touched }) => {
      const { server, tool } = partsOf(started.spec.id);
      const { timeoutMs } = started.event.data;
      try {
        return await pool.use(scope, server, async (held) => {
          touched.push({
            kind: 'mcp',
            server,
            tool,
            connection: held.key,
            sandboxed: held.sandboxed,
            roots: [...held.roots],
          });
          const end = await held.connection.call(tool, args, { signal, timeoutMs });
          return outcomeOfEnd(end, server, touched);
        });
      } catch (error) {
        const message = `the server \`${server}\` cannot be reached: ${messageOf(error)}`;
        return { ok: false, kind: 'unavailable', message, touched };
      }
    },
    close: () => pool.close(),
  };
};

interface Listing {
  readonly scope: ToolScope;
  readonly server: string;
  readonly held: Held;
}

/** What is listed for the first time, or anew, is recorded before anybody uses it. */
const listServer = async (
  context: McpContext,
  recorded: Map<string, string>,
  { scope, server, held }: Listing,
) => {
  const { agent, principal, session, policy } = scope;
  const exposed = exposedTools(server, await held.connection.tools(), policy.mcp);
  const digest = digestOf(exposed.tools.map((tool) => tool.digest));
  if (recorded.get(held.key) !== digest) {
    const { tools, hidden } = exposed;
    await context.onListed({
      agent,
      principal,
      session,
      server,
      connection: held.key,
      tools,
      hidden,
    });
    if (recorded.size > 1_000) recorded.clear();
    recorded.set(held.key, digest);
  }
  return { ...exposed, server };
};

const operandsOf = async (
  { policy }: ToolScope,
  spec: ToolSpec,
  args: unknown,
  resolver: Resolver,
): Promise<Operand[]> => {
  if (spec.operands === 'undeclared') return [{ kind: 'undeclared' }];
  const operands: Operand[] = [];
  for (const { declared, given } of operandPointers(spec, args).found)
    operands.push(
      declared.kind === 'path'
        ? await inspectForeignPath(policy.workspace.root, given, declared.access)
        : await inspectUrl(policy, given, 'ANY', resolver),
    );
  return operands;
};

const isConfined = (context: McpContext, { policy }: ToolScope, server: string): boolean =>
  policy.mcp.servers[server]?.transport === 'stdio' &&
  policy.mcp.run[server] === 'sandboxed' &&
  context.sandbox.ok;

const outcomeOfEnd = (end: CallEnd, server: string, touched: readonly Touched[]): ToolOutcome => {
  switch (end.kind) {
    case 'result':
      return {
        ok: true,
        text: resultText(end.result),
        isError: end.result.isError === true,
        masked: 0,
        touched,
      };
    case 'timeout':
      return {
        ok: false,
        kind: 'timeout',
        message: `the server \`${server}\` took too long`,
        touched,
      };
    case 'cancelled':
      return { ok: false, kind: 'unavailable', message: 'the call was cancelled', touched };
    case 'refused':
      return { ok: false, kind: 'protocol', message: end.message, touched };
    case 'lost': {
      const message = `the server \`${server}\` was lost in the middle of the call: ${end.message}`;
      return { ok: false, kind: 'unknown', message, touched };
    }
  }
};

const partsOf = (id: string): { readonly server: string; readonly tool: string } => {
  const slash = id.indexOf('/');
  return { server: id.slice('mcp:'.length, slash), tool: id.slice(slash + 1) };
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
