import type { Stamp } from './stamps.ts';
import type { Packed, WireAppend, WireEvent, WireResult } from './wire.ts';

// A flat list of texts and numbers is copied from thread to thread 2.5 times as fast as objects, whose keys are written and read again
// for every event (32 appends of 96 events, there and back, with packing: 97 against 241 us).

/** The flat form of appends. */
export const packAppends = (appends: readonly WireAppend[]): Packed => {
  const out: (string | number | null)[] = [];
  for (const { stream, expected, now, events } of appends) {
    out.push(stream, expected, now, events.length);
    for (const { id, type, schema, agent, raisesTo, data, meta } of events)
      out.push(id, type, schema, agent, raisesTo, data, meta);
  }
  return out;
};

/** The appends of a flat form. */
export const unpackAppends = (packed: Packed): readonly WireAppend[] => {
  const take = reader(packed);
  const appends: WireAppend[] = [];
  while (!take.done()) {
    const head = { stream: take.text(), expected: take.number(), now: take.number() };
    const events: WireEvent[] = [];
    for (let left = take.number(); left > 0; left -= 1)
      events.push({
        id: take.text(),
        type: take.text(),
        schema: take.number(),
        agent: take.textOrNull(),
        raisesTo: take.number(),
        data: take.text(),
        meta: take.text(),
      });
    appends.push({ ...head, events });
  }
  return appends;
};

/** The flat form of results. */
export const packResults = (results: readonly WireResult[]): Packed => {
  const out: (string | number | null)[] = [];
  for (const result of results) {
    out.push(result.kind);
    switch (result.kind) {
      case 'written':
        out.push(result.stamps.length);
        for (const { position, revision, time, agentSeq, epoch } of result.stamps)
          out.push(position, revision, time, agentSeq, epoch);
        break;
      case 'repeat':
        out.push(result.firstRevision);
        break;
      case 'conflict':
        out.push(result.actual);
        break;
      case 'unavailable':
        out.push(result.code);
        break;
    }
  }
  return out;
};

/** The results of a flat form. */
export const unpackResults = (packed: Packed): readonly WireResult[] => {
  const take = reader(packed);
  const results: WireResult[] = [];
  while (!take.done()) results.push(resultFrom(take));
  return results;
};

const resultFrom = (take: Reader): WireResult => {
  const kind = take.text();
  switch (kind as WireResult['kind']) {
    case 'written': {
      const stamps: Stamp[] = [];
      for (let left = take.number(); left > 0; left -= 1)
        stamps.push({
          position: take.number(),
          revision: take.number(),
          time: take.number(),
          agentSeq: take.numberOrNull(),
          epoch: take.number(),
        });
      return { kind: 'written', stamps };
    }
    case 'repeat':
      return { kind: 'repeat', firstRevision: take.number() };
    case 'conflict':
      return { kind: 'conflict', actual: take.number() };
    case 'unavailable':
      return { kind: 'unavailable', code: take.text() };
  }
};

type Reader = ReturnType<typeof reader>;

const reader = (packed: Packed) => {
  let at = 0;
  const next = (): string | number | null => packed[at++] ?? null;
  const text = (): string => {
    const value = next();
    if (typeof value !== 'string') throw misread(at);
    return value;
  };
  const number = (): number => {
    const value = next();
    if (typeof value !== 'number') throw misread(at);
    return value;
  };
  return {
    done: () => at >= packed.length,
    text,
    number,
    textOrNull: () => (packed[at] === null ? (next() as null) : text()),
    numberOrNull: () => (packed[at] === null ? (next() as null) : number()),
  };
};

const misread = (at: number): Error =>
  new TypeError(`the list between the threads is not in order at ${at}`);
