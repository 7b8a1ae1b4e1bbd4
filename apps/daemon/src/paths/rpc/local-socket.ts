import { chmod, lstat, mkdtemp, rename, rm, rmdir } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** Longest path of a Unix socket, in bytes: what every system of today takes (Linux 107, macOS 103). */
export const longestSocketPath = 103;

/** A socket of the machine's own file system that is open for clients. */
export interface LocalSocket {
  readonly path: string;
  /** Takes no more clients, and removes the file. */
  close(): Promise<void>;
}

/** Why there is no socket. */
export class SocketError extends Error {}

/** Opens a socket that only its owner can reach. It is made in a folder of its own and put in place when it is closed to others.
 * @throws SocketError when the path is too long, taken by a running program, or no socket */
export const openLocalSocket = async (
  folder: string,
  name: string,
  take: (socket: Socket) => void,
): Promise<LocalSocket> => {
  const path = join(folder, name);
  const making = join(folder, '.s');
  const draft = join(`${making}XXXXXX`, 's');
  if (Math.max(Buffer.byteLength(path), Buffer.byteLength(draft)) > longestSocketPath)
    throw new SocketError(
      `the path \`${path}\` is longer than the ${longestSocketPath} bytes that a socket may have: use a data folder with a shorter path`,
    );
  await refuseTaken(path);
  const server = createServer({ allowHalfOpen: true }, take);
  server.maxConnections = maxClients;
  const own = await mkdtemp(making);
  try {
    const made = join(own, 's');
    await listening(server, made);
    await chmod(made, 0o600);
    await rename(made, path);
  } catch (thrown) {
    server.close();
    await rm(own, { recursive: true, force: true });
    throw thrown;
  }
  await rmdir(own);
  return {
    path,
    close: async () => {
      server.close();
      await rm(path, { force: true });
    },
  };
};

const maxClients = 128;

/** A socket that nobody answers on is left over from a program that was killed; it is replaced. */
const refuseTaken = async (path: string): Promise<void> => {
  const there = await lstat(path).catch(() => null);
  if (there === null) return;
  if (!there.isSocket())
    throw new SocketError(`\`${path}\` is there and is no socket: move it away`);
  if (await answers(path))
    throw new SocketError(`another program answers on \`${path}\`: stop it, or use another folder`);
};

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createConnection(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => {
      resolve(false);
    });
  });

const listening = (server: Server, path: string): Promise<void> =>
  new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(path, () => {
      server.off('error', failed);
      done();
    });
  });
