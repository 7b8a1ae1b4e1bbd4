import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request, { type Response } from 'supertest';
import { startDaemon, type Daemon, type DaemonOptions } from '@lockstep/daemon';
import { expectReplayed } from './replayed-log.ts';

/** A folder with a config, a script and a data folder, and the daemon that runs on it. */
export interface RunningDaemon {
  readonly folder: string;
  readonly data: string;
  readonly config: string;
  /** Of the newest start. */
  readonly daemon: () => Daemon;
  readonly url: () => string;
  readonly local: () => string;
  readonly as: (token: string) => Caller;
  /** The local token's caller. */
  readonly admin: () => Caller;
  /** Issues a token and answers its caller. */
  readonly issue: (wish: {
    readonly name: string;
    readonly roles: readonly string[];
    readonly scopes?: { readonly agents?: readonly string[]; readonly tools?: readonly string[] };
  }) => Promise<Caller>;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

export interface Caller {
  readonly token: string;
  readonly get: (path: string) => Promise<Response>;
  readonly post: (path: string, body?: object, headers?: Headers) => Promise<Response>;
  readonly put: (path: string, body: object, headers?: Headers) => Promise<Response>;
  readonly delete: (path: string) => Promise<Response>;
}
type Headers = Readonly<Record<string, string>>;

/** Calls routes with a token. */
export const callerOf = (url: string, token: string): Caller => {
  const auth = { authorization: `Bearer ${token}` };
  return {
    token,
    get: async (path) => request(url).get(path).set(auth),
    post: async (path, body = {}, headers = {}) =>
      request(url)
        .post(path)
        .set({ ...auth, ...headers })
        .send(body),
    put: async (path, body, headers = {}) =>
      request(url)
        .put(path)
        .set({ ...auth, ...headers })
        .send(body),
    delete: async (path) => request(url).delete(path).set(auth),
  };
};

/** Starts a daemon of its own folder on a free port. */
export const runDaemon = async (
  text: string,
  script: string,
  options: Partial<DaemonOptions> = {},
): Promise<RunningDaemon> => {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-e2e-'));
  const config = join(folder, 'lockstep.toml');
  const data = join(folder, 'data');
  await writeFile(config, text);
  await writeFile(join(folder, 'script.yaml'), script);
  let daemon: Daemon | null = null;
  let local = '';
  const current = (): Daemon => {
    if (daemon === null) throw new Error('the daemon does not run');
    return daemon;
  };
  const start = async (): Promise<void> => {
    daemon = await startDaemon({ config, data, port: 0, log: 'silent', ...options });
    const file = JSON.parse(await readFile(join(data, 'local.json'), 'utf8')) as { token: string };
    local = file.token;
  };
  const stop = async (): Promise<void> => {
    await daemon?.close('the test is done with it');
    daemon = null;
  };
  try {
    await start();
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    throw thrown;
  }
  const as = (token: string): Caller => callerOf(current().url, token);
  return {
    folder,
    data,
    config,
    daemon: current,
    url: () => current().url,
    local: () => local,
    as,
    admin: () => as(local),
    issue: async (wish) => {
      const issued = await as(local).post('/v1/tokens', wish);
      return as((issued.body as { readonly token: string }).token);
    },
    start,
    stop,
    remove: async () => {
      await stop();
      // Whatever a test records is made again from its log.
      await expectReplayed(data).finally(() => rm(folder, { recursive: true, force: true }));
    },
  };
};
