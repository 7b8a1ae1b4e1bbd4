import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { BacktestTally } from '@lockstep/engine';
import type { ListedTurn } from './turn-index.ts';
import type { JudgeData, JudgeReply, JudgeRequest } from './wire.ts';

/** A thread that judges turns and counts them. */
export interface JudgeThread {
  /** @throws when the thread fails or was stopped */
  judge(turns: readonly ListedTurn[]): Promise<void>;
  /** What it counted in all; the thread ends. */
  finish(): Promise<BacktestTally>;
  stop(): Promise<void>;
}

interface Waiting {
  readonly resolve: (reply: JudgeReply) => void;
  readonly reject: (why: Error) => void;
}

/** Starts a thread over a log. */
export const startJudge = async (data: JudgeData): Promise<JudgeThread> => {
  const worker = await newWorker(data);
  const waiting: Waiting[] = [];
  let lost: Error | null = null;
  const lose = (why: Error): void => {
    lost ??= why;
    for (const { reject } of waiting.splice(0)) reject(lost);
  };
  worker.on('message', (reply: JudgeReply) => waiting.shift()?.resolve(reply));
  worker.on('error', (error) => {
    lose(error instanceof Error ? error : new Error(String(error)));
  });
  worker.on('exit', () => {
    lose(new Error('a thread that judges turns has ended'));
  });
  const request = async (message: JudgeRequest): Promise<JudgeReply> => {
    if (lost !== null) throw lost;
    const reply = await new Promise<JudgeReply>((resolve, reject) => {
      waiting.push({ resolve, reject });
      worker.postMessage(message);
    });
    if (reply.kind === 'failed') throw new Error(reply.message);
    return reply;
  };
  return {
    judge: async (turns) => {
      await request({ kind: 'judge', turns });
    },
    finish: async () => {
      const reply = await request({ kind: 'finish' });
      if (reply.kind !== 'tally') throw new Error(`a tally was asked for, not ${reply.kind}`);
      return reply.tally;
    },
    stop: async () => {
      await worker.terminate();
    },
  };
};

/** The build runs as it is. Sources (specs, tsx) cannot: a worker inherits no loader, so they are bundled once a process. */
const newWorker = async (workerData: JudgeData): Promise<Worker> => {
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./judge.worker.js', import.meta.url), { workerData, execArgv: [] });
  bundled ??= bundle(new URL('./judge.worker.ts', import.meta.url));
  return new Worker(await bundled, { eval: true, workerData, execArgv: [] });
};

let bundled: Promise<string> | null = null;

const bundle = async (entry: URL): Promise<string> => {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    conditions: ['lockstep-source'],
    external: ['better-sqlite3', 'mvdan-sh'],
    banner: {
      js: `require = require('node:module').createRequire(${JSON.stringify(entry.href)});`,
    },
  });
  return outputFiles[0]?.text ?? '';
};
