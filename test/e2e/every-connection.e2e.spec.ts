import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';
import {
  startByAcp,
  startByJsonRpc,
  startByOpenAi,
  startByWebSocket,
} from '../support/start-by.ts';

const config = `
[agents.alpha]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
[risk_profiles.open]
autonomy = "supervised"
[risk_profiles.open.tools]
allowed = ["file_*", "time_now"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;

let daemon: RunningDaemon;
let root: string;
beforeAll(async () => {
  daemon = await runDaemon(config, 'default: [{ say: hello }]\n');
  root = join(daemon.data, 'workspaces/alpha');
  await mkdir(join(root, 'inside'), { recursive: true });
});
afterAll(() => daemon.remove());

/** The policy that a turn ran under, and the trigger that the server gave it. An accepted turn has it a moment later. */
const policyOf = async (turn: string | null) => {
  const found = async () => {
    const { body } = await daemon.admin().get(`/v1/turns/${turn ?? ''}/events`);
    const { items = [] } = body as { items?: LockstepEvent[] };
    const resolved = items.find(({ type }) => type === 'PolicyResolved');
    return resolved?.type === 'PolicyResolved' ? resolved : null;
  };
  await expect.poll(found).not.toBeNull();
  const resolved = await found();
  if (resolved === null) throw new Error('the turn has no policy');
  return { trigger: resolved.meta.trigger, ...resolved.data };
};

describe('given one agent on every connection', () => {
  const start = { agent: 'alpha', input: 'hi' };

  it('runs under the same policy where nothing is taken away', async () => {
    const rest = await daemon.admin().post('/v1/agents/alpha/turns', { input: 'hi', wait: true });
    const turns = [
      (rest.body as { id: string }).id,
      await startByJsonRpc(daemon.data, start),
      await startByAcp(daemon.data, start, root),
      await startByWebSocket(daemon.url(), daemon.local(), start),
      await startByOpenAi(daemon.url(), daemon.local(), start),
    ];
    const policies = await Promise.all(turns.map(policyOf));
    expect(policies.map(({ trigger }) => trigger)).toEqual([
      'rest',
      'json-rpc',
      'acp',
      'websocket',
      'openai',
    ]);
    expect(new Set(policies.map(({ digest }) => digest)).size).toBe(1);
  });

  it('runs under exactly what is left where something is', async () => {
    const inside = join(root, 'inside');
    const [whole, socket, editor] = await Promise.all([
      policyOf(await startByJsonRpc(daemon.data, start)),
      policyOf(await startByJsonRpc(daemon.data, start, { cwd: inside })),
      policyOf(await startByAcp(daemon.data, start, inside)),
    ]);
    const changed = Object.keys(whole.surfaces).filter(
      (name) => Reflect.get(whole.surfaces, name) !== Reflect.get(socket.surfaces, name),
    );
    expect(changed).toEqual(['workspace']);
    expect(editor.digest).toBe(socket.digest);
  });
});
