import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as later } from 'node:timers/promises';
import type { LockstepEvent } from '@lockstep/engine';

const bin = fileURLToPath(new URL('../../../apps/daemon/bin/lockstep.mjs', import.meta.url));

/** The program on a folder, in a process of its own, so that it can be killed. */
export class RecordedDaemon {
  readonly folder: string;
  readonly data: string;
  #child: ChildProcess | null = null;
  #url = '';

  constructor(folder: string) {
    this.folder = folder;
    this.data = join(folder, 'data');
  }

  get url(): string {
    return this.#url;
  }

  /** Starts it and waits until it listens. */
  async start(): Promise<void> {
    const config = join(this.folder, 'lockstep.toml');
    const words = ['up', '--no-console', '--port', '0', '--json', '--log', 'error'];
    const child = spawn(
      process.execPath,
      [bin, '--config', config, '--data', this.data, ...words],
      { cwd: this.folder, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.#child = child;
    let told = '';
    for await (const chunk of child.stdout) {
      told += String(chunk);
      if (told.includes('\n')) break;
    }
    this.#url = (JSON.parse(told) as { readonly daemon: string }).daemon;
  }

  /** Ends it: `SIGTERM` in order, `SIGKILL` as a crash. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const gone = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await gone;
  }

  /** Calls a route with the local token. @throws Error when it is refused */
  async call<T>(path: string, body?: object, more: Call = {}): Promise<T> {
    const { token } = JSON.parse(readFileSync(join(this.data, 'local.json'), 'utf8')) as {
      readonly token: string;
    };
    const response = await fetch(new URL(path, this.#url), {
      method: more.method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...more.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    more.seen?.(response.headers);
    return JSON.parse(text) as T;
  }

  /** Events of a turn so far. */
  async eventsOf(turn: string): Promise<readonly LockstepEvent[]> {
    const path = `/v1/turns/${turn}/events?limit=1000`;
    return (await this.call<{ readonly items: readonly LockstepEvent[] }>(path)).items;
  }

  /** Waits until a turn has so many events of a type. */
  async until(turn: string, type: LockstepEvent['type'], count = 1): Promise<void> {
    await untilThere(`${count} ${type} of ${turn}`, async () => {
      const events = await this.eventsOf(turn);
      return events.filter((event) => event.type === type).length >= count ? true : null;
    });
  }
}

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly seen?: (headers: Headers) => void;
}

/** Looks again until something is there. @throws Error after half a minute */
export const untilThere = async <T>(what: string, look: () => Promise<T | null>): Promise<T> => {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await look();
    if (found !== null) return found;
    await later(50);
  }
  throw new Error(`${what} did not come`);
};
