import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { resolve } from '@lockstep/policy';
import { LineClient } from './line-client.ts';
import type { FindWays, WayParts } from './way.ts';

export const jsonRpcWays: FindWays = ({ data }, agent) => {
  let client: Promise<LineClient> | null = null;
  const open = async (): Promise<LineClient> => {
    const fresh = await LineClient.open(join(data, 'lockstep.sock'));
    await fresh.call('initialize', {});
    return fresh;
  };
  return [
    {
      trigger: 'json-rpc',
      keepsSession: true,
      start: async (input, session) => {
        const line = await (client ??= open());
        const rest = session === null ? {} : { session };
        await line.call('turns.start', { agent, input, ...rest });
      },
      close: async () => {
        (await client)?.close();
      },
    },
  ];
};

/** The agent's own workspace, which the client opens as its folder: so it takes nothing of the roots away. */
const workspaceOf = ({ applied }: WayParts, agent: string): string | null => {
  const found = resolve(
    applied,
    {
      agent,
      principal: { kind: 'local', id: 'local', person: null },
      session: '-',
      origin: { kind: 'run' },
      client: 'none',
    },
    {},
  );
  return found.ok ? found.policy.parts.snapshot.workspace.root : null;
};

export const acpWays: FindWays = (parts, agent) => {
  const cwd = workspaceOf(parts, agent) ?? '/';
  let client: Promise<LineClient> | null = null;
  let sessionId: unknown = null;
  const open = async (): Promise<LineClient> => {
    const fresh = await LineClient.open(join(parts.data, 'acp.sock'));
    fresh.write({ agent });
    await fresh.call('initialize', { protocolVersion: 1 });
    return fresh;
  };
  return [
    {
      trigger: 'acp',
      keepsSession: true,
      start: async (input, session) => {
        const line = await (client ??= open());
        if (session === null) {
          mkdirSync(cwd, { recursive: true });
          const { result } = await line.call('session/new', { cwd, mcpServers: [] });
          sessionId = result?.['sessionId'] ?? null;
        }
        void line.call('session/prompt', { sessionId, prompt: [{ type: 'text', text: input }] });
      },
      close: async () => {
        (await client)?.close();
      },
    },
  ];
};
