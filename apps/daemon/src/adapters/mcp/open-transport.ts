import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RootsFact, ToolScope } from '@lockstep/engine';
import type { McpServerConfig, SecretRef } from '@lockstep/policy';
import { confined, type Spawn } from '../sandbox/bubblewrap.ts';
import { childPath } from '../sandbox/program-paths.ts';
import { sandboxView } from '../sandbox/sandbox-view.ts';
import { readSecret } from '../secrets/secret-ref.ts';
import { sameOriginFetch } from './same-origin-fetch.ts';
import { ServerUnavailable, type McpContext } from './mcp-context.ts';

type StdioConfig = Extract<McpServerConfig, { transport: 'stdio' }>;

export interface OpenedTransport {
  readonly transport: Transport;
  /** The last words of a child process, unmasked. */
  readonly lastWords: () => string;
}

const largestMessage = 16 * 1024 * 1024;
const mostWords = 2_000;

/** The way to a server. A sandboxed one without a sandbox on this machine is refused, never started bare.
 * @throws ServerUnavailable */
export const openTransport = async (
  config: McpServerConfig,
  scope: ToolScope,
  roots: RootsFact,
  context: McpContext,
): Promise<OpenedTransport> => {
  if (config.transport === 'http') {
    const { StreamableHTTPClientTransport } =
      await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const headers = valuesOf(config.headers, context);
    const transport = new StreamableHTTPClientTransport(new URL(config.url), {
      requestInit: { headers },
      fetch: sameOriginFetch,
    });
    return { transport: transport, lastWords: () => '' };
  }
  const spawn = spawnOf(config, scope, roots, context);
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const transport = new StdioClientTransport({
    command: spawn.command,
    args: [...spawn.args],
    env: { ...spawn.env },
    cwd: roots.root ?? '/',
    stderr: 'pipe',
    maxBufferSize: largestMessage,
  });
  let words = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString('utf8')).slice(-mostWords);
  });
  return { transport, lastWords: () => words.trim() };
};

/** How the process of a stdio server is started. */
export const spawnOf = (
  config: StdioConfig,
  scope: ToolScope,
  roots: RootsFact,
  context: McpContext,
): Spawn => {
  const { root } = roots;
  if (root === null)
    throw new ServerUnavailable(`the workspace \`${scope.policy.workspace.root}\` cannot be made`);
  const env = valuesOf(config.env, context);
  const args = config.args.map((arg) => arg.replaceAll('{workspace}', root));
  const { base, data, config: file } = context.host();
  switch (config.run) {
    case 'trusted':
      return {
        command: config.command.includes('/') ? absolute(base, config.command) : config.command,
        args,
        env: { PATH: childPath(context.program), ...env },
      };
    case 'sandboxed': {
      if (!context.sandbox.ok)
        throw new ServerUnavailable(
          `it runs sandboxed and this machine has no sandbox: ${context.sandbox.reason}`,
        );
      const seen = sandboxView(scope.policy, roots);
      if (!seen.ok) throw new ServerUnavailable(seen.message);
      const hidden = [data, file, ...secretFiles(config, base)];
      return confined(context.sandbox.bwrap, seen.view, context.program, {
        command: config.command,
        args,
        cwd: root,
        base,
        network: config.network,
        hidden,
        env,
        beside: 'named_files',
      });
    }
  }
};

const absolute = (base: string, path: string): string =>
  path.startsWith('/') ? path : `${base}/${path}`;

const secretFiles = (config: StdioConfig, base: string): readonly string[] =>
  Object.values(config.env).flatMap((value) =>
    typeof value === 'object' && 'file' in value ? [absolute(base, value.file)] : [],
  );

const valuesOf = (
  entries: Readonly<Record<string, string | SecretRef>>,
  context: McpContext,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(entries).map(([key, value]) => {
      if (typeof value === 'string') return [key, value];
      const read = readSecret(value, context.secrets);
      if (!read.ok) throw new ServerUnavailable(`\`${key}\`: ${read.message}`);
      context.know(read.name, read.value);
      return [key, read.value];
    }),
  );
