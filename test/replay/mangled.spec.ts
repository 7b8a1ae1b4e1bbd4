import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkHistory, layHistory, readHistoryFile } from '@lockstep/daemon';
import { historyText, readHistory, type LockstepEvent } from '@lockstep/engine';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { demoEvents, turnOf } from './fixture-events.ts';

let folder = '';
const place = (): string => (folder = mkdtempSync(join(tmpdir(), 'lockstep-mangled-')));
afterEach(() => {
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

/** One turn with all it cites, small enough to be read a hundred times. */
const oneTurn = (path: 'gateway' | 'loop', input: string): readonly LockstepEvent[] => {
  const all = demoEvents(path);
  const turn = turnOf(all, input);
  return all.filter(({ stream }) => !stream.startsWith('turn-') || stream === `turn-${turn}`);
};
const good = oneTurn('loop', 'edit the note');
const foreign = oneTurn('gateway', 'edit the note');
const about = { build: 'test', of: 'turns', turns: null } as const;
const lines = historyText(good, about).trimEnd().split('\n');
const foreignLines = historyText(foreign, about).trimEnd().split('\n').slice(1);
const own = (line: string | undefined): boolean => line?.includes('"stream":"turn-') === true;

interface Mangled {
  readonly what: string;
  /** A function, so that a counterexample stays short. */
  readonly lines: () => readonly string[];
  /** Whether an event of the turn itself was touched. */
  readonly turn: boolean;
}

const at = fc.nat({ max: lines.length - 2 }).map((index) => index + 1);

const shuffled = fc.tuple(at, at).map(([a, b]): Mangled => {
  const out = [...lines];
  [out[a], out[b]] = [lines[b] ?? '', lines[a] ?? ''];
  return {
    what: `${a} and ${b} change places`,
    lines: () => out,
    turn: own(lines[a]) || own(lines[b]),
  };
});
const truncated = fc.tuple(at, fc.integer({ min: 1, max: 3 })).map(([from, count]): Mangled => {
  const gone = lines.slice(from, from + count);
  const left = lines.filter((line) => !gone.includes(line));
  return { what: `${count} gone from ${from}`, lines: () => left, turn: gone.some(own) };
});
const doubled = fc.tuple(at, at).map(([from, to]): Mangled => ({
  what: `${from} again at ${to}`,
  lines: () => lines.toSpliced(to, 0, lines[from] ?? ''),
  turn: own(lines[from]),
}));
const mixed = fc
  .tuple(at, fc.nat({ max: foreignLines.length - 1 }), fc.boolean())
  .map(([to, from, instead]): Mangled => {
    const other = foreignLines[from] ?? '';
    return {
      what: `${from} of another at ${to}${instead ? ' instead' : ''}`,
      lines: () => lines.toSpliced(to, instead ? 1 : 0, other),
      turn: own(other) || own(lines[to]),
    };
  });
const edited = fc
  .tuple(at, fc.nat(), fc.constantFrom('x', '0', '9', '"', '}', ' ', '\\', 'é', '\u0000'))
  .map(([to, offset, character]): Mangled => {
    const line = lines[to] ?? '';
    const where = offset % line.length;
    const other = line.slice(0, where) + character + line.slice(where + 1);
    return {
      what: `\`${character}\` in ${to} at ${where}`,
      lines: () => lines.toSpliced(to, 1, other),
      turn: own(line),
    };
  });
const structural = fc.oneof(shuffled, truncated, doubled, mixed);
const anything = fc.oneof(structural, edited);

const isSame = (mangled: Mangled): boolean => mangled.lines().join('\n') === lines.join('\n');
const text = (mangled: Mangled, header: 'with' | 'without'): string =>
  mangled
    .lines()
    .slice(header === 'with' ? 0 : 1)
    .join('\n');

// What comes from elsewhere must not pass for what an agent did because something happened to it on the way.
describe('a history that was shuffled, cut, doubled, mixed with another or edited', () => {
  it('is refused with what is wrong and where, when it has a header', () => {
    fc.assert(
      fc.property(anything, (mangled) => {
        const read = readHistory(text(mangled, 'with'));
        expect(read.ok).toBe(isSame(mangled));
        if (read.ok) return;
        expect(read.problems[0]?.where).toMatch(/^line \d+$/);
        expect(read.problems[0]?.message).not.toBe('');
      }),
      { numRuns: 80 },
    );
  });

  it('is not the same in its turn without a header either, and nothing breaks on it', () => {
    fc.assert(
      fc.property(anything, (mangled) => {
        const check = checkHistory('it', readHistory(text(mangled, 'without')), {});
        if (isSame(mangled)) expect(check.state).toBe('same');
      }),
      { numRuns: 60 },
    );
    fc.assert(
      fc.property(structural, (mangled) => {
        const check = checkHistory('it', readHistory(text(mangled, 'without')), {});
        if (mangled.turn && !isSame(mangled)) expect(check.state).not.toBe('same');
      }),
      { numRuns: 60 },
    );
  });

  it('leaves nothing in the folder that it was to be imported to', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (mangled) => {
        const data = join(place(), 'data');
        const file = join(folder, 'history.jsonl');
        writeFileSync(file, text(mangled, 'with'));
        const done = await layHistory(file, data, { clock: { now: () => 1 } });
        expect(done.ok).toBe(isSame(mangled));
        if (!done.ok) expect(readdirSync(data)).toEqual([]);
        rmSync(folder, { recursive: true, force: true });
      }),
      { numRuns: 10 },
    );
  }, 60_000);

  it('is refused in its order on import, though it has no header', async () => {
    const swapped = [...lines.slice(1)];
    [swapped[3], swapped[4]] = [swapped[4] ?? '', swapped[3] ?? ''];
    const file = join(place(), 'history.jsonl');
    writeFileSync(file, swapped.join('\n'));
    const done = await layHistory(file, join(folder, 'data'), { clock: { now: () => 1 } });
    expect(done).toMatchObject({ ok: false, reason: 'refused' });
    expect(JSON.stringify(done)).toMatch(/line 5 \(.*the order was changed/);
  });
});

describe('a file that is no history at all', () => {
  const problemsOf = async (content: string | Buffer, bytes = 1_000_000): Promise<unknown> => {
    const file = join(place(), 'history.jsonl');
    writeFileSync(file, content);
    const read = await readHistoryFile(file, { line: 10_000, bytes });
    return read.ok ? 'read' : read.problems;
  };

  it('is refused at a line that has no end, before it is in memory', async () => {
    expect(await problemsOf('x'.repeat(600_000))).toEqual([
      { where: 'line 1', message: 'a line has more than 10000 characters' },
    ]);
  });

  it('is refused when it is too large', async () => {
    const line = `${lines[0] ?? ''}\n`;
    expect(await problemsOf(line.repeat(400), 50_000)).toEqual([
      {
        where: expect.stringMatching(/^line \d+$/) as string,
        message: 'the file has more than 0 MiB',
      },
    ]);
  });

  it('is refused when its tables lie too deep in each other', async () => {
    expect(await problemsOf('['.repeat(5_000))).toEqual([
      { where: 'line 1', message: 'this line is nested deeper than 100 levels' },
    ]);
  });

  it('is refused with the first hundred problems, however many there are', async () => {
    const found = await problemsOf('nonsense\n'.repeat(5_000));
    expect(Array.isArray(found) ? found.length : found).toBe(100);
  });

  it('is refused when it holds bytes that are no text', async () => {
    expect(await problemsOf(Buffer.from([0xff, 0xfe, 0x00, 0x7b]))).toEqual([
      { where: 'line 1', message: 'this line is no JSON' },
    ]);
  });
});

describe('a history with a header', () => {
  it('says of a newer form that lockstep has to be updated', () => {
    const [header = '', ...rest] = lines;
    const newer = [header.replace('"format":1', '"format":2'), ...rest].join('\n');
    expect(readHistory(newer)).toEqual({
      ok: false,
      problems: [
        {
          where: 'line 1',
          message: 'the history has format 2 and this build reads up to 1: update lockstep',
        },
      ],
    });
  });

  it('reads the same with other ends of lines, and as the plain lines that it holds', () => {
    const whole = readHistory(lines.join('\r\n'));
    const plain = readHistory(lines.slice(1).join('\n'));
    expect([whole.ok, plain.ok]).toEqual([true, true]);
    expect(whole.ok && plain.ok ? whole.events : null).toEqual(plain.ok ? plain.events : []);
    expect(readFileSync(new URL('fixtures/demo-loop.jsonl', import.meta.url), 'utf8')).toContain(
      lines[1],
    );
  });
});
