import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { enforcedKeys } from '@lockstep/policy';
import { startDaemon } from '../../daemon.ts';
import { layHistory } from '../demo/divergence.ts';
import { runCli } from '../program.ts';

const example = fileURLToPath(new URL('../../../../../examples/divergence', import.meta.url));

const recorded = readFileSync(join(example, 'history.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as LockstepEvent);

let folder = '';
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Streams and agents without a hole, after events were left out. */
const renumbered = (events: readonly LockstepEvent[]): readonly LockstepEvent[] => {
  const next = new Map<string, number>();
  const count = (key: string): number => {
    const number = next.get(key) ?? 0;
    next.set(key, number + 1);
    return number;
  };
  return events.map((event) => {
    const { agent } = event.meta;
    const agentSeq = agent === null ? null : count(`agent ${agent}`) + 1;
    return { ...event, revision: count(event.stream), meta: { ...event.meta, agentSeq } };
  });
};

/** What `lockstep parity` says over a history that was laid into an empty log. */
const parityOver = async (events: readonly LockstepEvent[]) => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-seeded-'));
  cpSync(example, join(folder, 'config'), { recursive: true });
  const file = join(folder, 'history.jsonl');
  writeFileSync(
    file,
    renumbered(events)
      .map((event) => JSON.stringify(event))
      .join('\n'),
  );
  const data = join(folder, 'data');
  await layHistory(file, data);
  const config = join(folder, 'config', 'lockstep.toml');
  const daemon = await startDaemon({ config, data, port: 0, log: 'silent' });
  try {
    let out = '';
    const code = await runCli(['--data', data, '--json', 'parity'], {
      env: {},
      cwd: folder,
      write: (text) => (out += text),
      note: () => undefined,
      now: () => Date.now(),
      version: '0.0.0',
    });
    const body = JSON.parse(out) as {
      readonly rows: readonly {
        readonly setting: string;
        readonly cells: Readonly<Record<string, { readonly state: string }>>;
      }[];
    };
    const gaps = body.rows.flatMap(({ setting, cells }) =>
      Object.entries(cells).flatMap(([path, { state }]) =>
        state === 'gap' ? [`${setting} ${path}`] : [],
      ),
    );
    return { code, gaps };
  } finally {
    await daemon.close('the spec is done with it');
  }
};

const isOver = (path: string) => (event: LockstepEvent) =>
  event.stream.startsWith('turn-') && event.meta.path === path;
const isWidened = isOver('loop');
const honest = recorded.filter((event) => !isWidened(event));

describe('`lockstep parity` over a recorded history', () => {
  it('ends with 0 where every turn kept to its policy', async () => {
    expect(await parityOver(honest)).toEqual({ code: 0, gaps: [] });
  });

  it('names every setting of a path that went past the seam, and nothing of another path', async () => {
    const bypassed = honest.filter(
      (event) => !(isOver('gateway')(event) && event.type === 'PolicyResolved'),
    );
    const gaps = enforcedKeys.map((key) => `${key} gateway`);
    expect(await parityOver(bypassed)).toEqual({ code: 1, gaps });
  });
});
