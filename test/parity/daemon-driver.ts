import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDaemon } from '@lockstep/daemon';
import type { LockstepEvent } from '@lockstep/engine';
import type { AppliedConfig, PolicySnapshot } from '@lockstep/policy';
import request from 'supertest';
import type { Driver } from './driver.ts';

/** A daemon whose turns are started on every path that this build has, each over its real transport. */
export interface DrivenDaemon {
  readonly drivers: Readonly<Record<'rest' | 'run', Driver>>;
  readonly close: () => Promise<void>;
}

const routes = { rest: 'turns', run: 'runs' } as const;

/** Starts the daemon. Each drive puts its config in force over REST, starts a turn and reads what the log holds of it. */
export const drivenDaemon = async (first: AppliedConfig): Promise<DrivenDaemon> => {
  const base = await mkdtemp(join(tmpdir(), 'lockstep-parity-'));
  const [file, data] = [join(base, 'lockstep.json'), join(base, '.lockstep')];
  await writeFile(file, textOf(first));
  await writeFile(join(base, 'a.yaml'), 'default: [{ say: "Done." }]\n');
  const daemon = await startDaemon({ config: file, data, port: 0, log: 'silent' });
  const local = JSON.parse(await readFile(join(data, 'local.json'), 'utf8')) as { token: string };
  const as = (token: string) => ({ authorization: `Bearer ${token}` });
  const issued = await request(daemon.url)
    .post('/v1/tokens')
    .set(as(local.token))
    .send({ name: 'ci', roles: ['operator'] });
  const tokens = { rest: (issued.body as { token: string }).token, run: local.token };
  let inForce = first.digest;

  const apply = async (applied: AppliedConfig): Promise<void> => {
    if (applied.digest === inForce) return;
    const current = await request(daemon.url).get('/v1/config').set(as(local.token));
    const put = await request(daemon.url)
      .put('/v1/config')
      .set({ ...as(local.token), 'if-match': current.headers['etag'] ?? '' })
      .send({ text: textOf(applied) });
    if (put.status !== 200) throw new Error(put.text);
    inForce = applied.digest;
  };

  const drive =
    (trigger: keyof typeof routes): Driver =>
    async (applied, agent) => {
      await apply(applied);
      const started = await request(daemon.url)
        .post(`/v1/agents/${agent}/${routes[trigger]}`)
        .set(as(tokens[trigger]))
        .send({ input: 'hello', wait: true });
      const { id } = started.body as { id: string };
      const read = await request(daemon.url).get(`/v1/turns/${id}/events`).set(as(local.token));
      const { items } = read.body as { items: LockstepEvent[] };
      return elsewhere(recorded(items, trigger), [
        [base, applied.host.base],
        [homedir(), applied.host.home],
      ]);
    };
  return {
    drivers: { rest: drive('rest'), run: drive('run') },
    close: async () => {
      await daemon.close('all is driven');
      await rm(base, { recursive: true, force: true });
    },
  };
};

/** The config as a file says it: parsed ones carry an empty table for each section that was not written. */
const textOf = ({ config }: AppliedConfig): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(config).filter(([, table]) => Object.keys(table as object).length > 0),
    ),
  );

const recorded = (events: readonly LockstepEvent[], trigger: string): PolicySnapshot => {
  const resolved = events.find((event) => event.type === 'PolicyResolved');
  if (resolved?.type !== 'PolicyResolved' || !('inline' in resolved.data.snapshot))
    throw new Error('no policy was recorded');
  if (resolved.meta.trigger !== trigger)
    throw new Error(`the turn was started over ${resolved.meta.trigger ?? 'nothing'}`);
  return resolved.data.snapshot.inline;
};

/** The snapshot with the folders of this machine under the names that the rows use. */
const elsewhere = (
  snapshot: PolicySnapshot,
  names: readonly (readonly [string, string])[],
): PolicySnapshot => {
  const moved = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const found = names.find(([from]) => value === from || value.startsWith(`${from}/`));
      return found === undefined ? value : found[1] + value.slice(found[0].length);
    }
    if (Array.isArray(value)) return value.map(moved);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, moved(inner)]));
  };
  return moved(snapshot) as PolicySnapshot;
};
