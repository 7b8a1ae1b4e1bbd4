import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runCli } from '@lockstep/daemon';
import { counterfactuals, type EventType } from '@lockstep/engine';
import { pathNames } from '@lockstep/policy';
import { eventsIn } from './fixture-events.ts';
import { whatChanged } from './same-again.ts';

const fixtures = new URL('fixtures/', import.meta.url);
const names = readdirSync(fixtures).filter((name) => name.endsWith('.jsonl'));
const recorded = new Map(names.map((name) => [name, eventsIn(new URL(name, fixtures))]));
const all = [...recorded.values()].flat();

/** What only the later histories hold; the demo's are told of one by one elsewhere. */
const kinds: readonly EventType[] = [
  'ApprovalDenied',
  'CancelRequested',
  'ChildTurnLinked',
  'MemoryRecalled',
  'PolicyNarrowed',
  'ReplyDelivered',
  'SkillActivated',
  'SopGateDecided',
  'SopRunCompleted',
  'ToolCallOutcomeUnknown',
  'TurnCancelled',
  'TurnSteered',
];

const triggers: readonly string[] = [
  ...['bounded', 'headless', 'independent', 'json-rpc', 'peer'],
  ...['rest', 'run', 'subagent', 'webhook'],
];

interface Verified {
  readonly good: boolean;
  readonly histories: readonly {
    readonly file: string;
    readonly state: string;
    readonly turns: number;
  }[];
}

// A later build has to come to the events that an earlier one recorded.
describe('the histories that were recorded once', () => {
  it('are the same in every turn, as `lockstep histories verify` says', async () => {
    let out = '';
    const code = await runCli(['--json', 'histories', 'verify', fileURLToPath(fixtures)], {
      env: {},
      cwd: fileURLToPath(fixtures),
      write: (text) => (out += text),
      note: (text) => (out += text),
      now: () => 0,
      version: '0.1.0',
    });
    const { good, histories } = JSON.parse(out) as Verified;
    expect(histories.filter(({ state }) => state !== 'same')).toEqual([]);
    expect([code, good, histories.map(({ file }) => file)]).toEqual([0, true, names.sort()]);
    const begun = all.filter(({ type }) => type === 'TurnRequested');
    expect(histories.reduce((sum, { turns }) => sum + turns, 0)).toBe(begun.length);
  });

  it('hold every path, every kind of child and what may happen to a turn on its way', () => {
    const begun = all.filter(({ type }) => type === 'TurnRequested');
    expect(new Set(begun.map(({ meta }) => meta.path))).toEqual(new Set(pathNames));
    expect(new Set(begun.map(({ meta }) => meta.trigger))).toEqual(new Set(triggers));
    const types = new Set(all.map(({ type }) => type));
    expect(kinds.filter((kind) => !types.has(kind))).toEqual([]);
    const edits = all.filter(
      (event) => event.type === 'ApprovalGranted' && event.data.edited !== undefined,
    );
    expect(edits.length).toBe(1);
    // A crash shows in turns that went on under another daemon.
    const daemonOf = new Map<string, string>();
    const wentOn = new Set<string>();
    for (const { stream, meta } of all) {
      if (meta.turn === null) continue;
      const before = daemonOf.get(stream) ?? meta.daemon;
      if (before !== meta.daemon) wentOn.add(stream);
      daemonOf.set(stream, meta.daemon);
    }
    expect(wentOn.size).toBe(2);
  });

  it('are unchanged, and have no horizon, when nothing else is put to them', () => {
    const changed = [...recorded.values()].flatMap((events) => {
      const compared = counterfactuals(events);
      return compared.turns.flatMap(
        (turn) => whatChanged(compared.compare(turn, 'required', { steps: 'all' })) ?? [],
      );
    });
    expect(changed).toEqual([]);
  });
});
