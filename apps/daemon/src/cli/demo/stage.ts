import { randomBytes } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { leadScript } from './lead-script.ts';

/** Where the demo plays: its own config, its own data, a server to call. */
export interface Stage {
  readonly config: string;
  readonly data: string;
  close(): Promise<void>;
}

const example = fileURLToPath(new URL('../../../../../examples/demo', import.meta.url));

/** Lays out a fresh stage below a folder, replacing what an earlier demo left there. */
export const layStage = async (folder: string): Promise<Stage> => {
  rmSync(folder, { recursive: true, force: true });
  const base = join(folder, 'config');
  const data = join(folder, 'data');
  mkdirSync(base, { recursive: true });
  cpSync(example, base, { recursive: true });
  const server = await listen();
  const { port } = server.address() as AddressInfo;
  const places: Readonly<Record<string, string>> = {
    ':7439': `:${port}`,
    '{{NOTES}}': join(base, 'notes'),
    '{{WRITER}}': join(data, 'workspaces', 'writer'),
  };
  for (const name of ['lockstep.toml', 'scripts/demo.yaml']) fill(join(base, name), places);
  appendFileSync(join(base, 'scripts', 'lead.yaml'), leadScript());
  process.env['DEMO_KEY'] ??= `demo-${randomBytes(12).toString('hex')}`;
  return {
    config: join(base, 'lockstep.toml'),
    data,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => {
          done();
        });
      }),
  };
};

const fill = (file: string, places: Readonly<Record<string, string>>): void => {
  let text = readFileSync(file, 'utf8');
  for (const [from, to] of Object.entries(places)) text = text.replaceAll(from, to);
  writeFileSync(file, text);
};

/** Answers `/ok`, gives a header back on `/echo`, and never answers `/never`. */
const listen = (): Promise<Server> =>
  new Promise((done, fail) => {
    const server = createServer((request, response) => {
      if (request.url === '/never') return;
      const said = request.headers['x-demo'];
      response.setHeader('content-type', 'text/plain');
      response.end(request.url === '/echo' ? `you sent ${String(said)}` : 'fine');
    });
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      done(server);
    });
  });
