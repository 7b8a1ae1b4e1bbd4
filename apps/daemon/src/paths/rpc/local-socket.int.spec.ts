import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { longestSocketPath, openLocalSocket, SocketError } from './local-socket.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (inside: string) =>
  openLocalSocket(inside, 'x.sock', (socket) => {
    socket.destroy();
  });

describe('given a place for a socket', () => {
  it('refuses a path that systems would cut, and opens the longest that they take', async () => {
    const length = (fill: number): string => join(folder, 'd'.repeat(fill));
    const fits = length(longestSocketPath - folder.length - '/'.length - '/.sXXXXXX/s'.length);
    const long = `${fits}d`;
    await mkdir(fits);
    await mkdir(long);
    const socket = await open(fits);
    await socket.close();
    await expect(open(long)).rejects.toThrow(SocketError);
    await expect(open(long)).rejects.toThrow('use a data folder with a shorter path');
  });

  it('leaves a socket on which somebody answers to whoever holds it', async () => {
    const first = await open(folder);
    await expect(open(folder)).rejects.toThrow('another program answers');
    await first.close();
    await (await open(folder)).close();
  });

  it('leaves a file that is no socket', async () => {
    await writeFile(join(folder, 'x.sock'), 'mine');
    await expect(open(folder)).rejects.toThrow('is no socket');
  });
});
