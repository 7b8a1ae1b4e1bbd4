import { describe, expect, it } from 'vitest';
import { readHistory, replayTurn, type LockstepEvent } from '@lockstep/engine';
import { demoEvents, turnOf } from './fixture-events.ts';

const events = demoEvents('loop');
const turn = turnOf(events, 'edit the note');
const stream = `turn-${turn}`;

const isOwn = (event: LockstepEvent): boolean => event.stream === stream;
const own = events.filter(isOwn);
const artifact = events.find((event) => event.stream.startsWith('artifact-'))?.stream ?? '';

/** The problems of a history, or how it came out. */
const refused = (history: readonly LockstepEvent[], of = turn): unknown => {
  const report = replayTurn({ turn: of, events: history, end: 'required' });
  return report.outcome === 'refused' ? report.problems : report.outcome;
};

const change = (
  revision: number,
  to: (event: LockstepEvent) => LockstepEvent,
): readonly LockstepEvent[] =>
  events.map((event) => (isOwn(event) && event.revision === revision ? to(event) : event));

const withData = (event: LockstepEvent, data: Record<string, unknown>): LockstepEvent =>
  ({ ...event, data: { ...event.data, ...data } }) as LockstepEvent;

const position = (revision: number): string => own[revision]?.position ?? '';

// A history comes from elsewhere: what was done to it on the way must not pass for what an agent did.
describe('a history that is not as it was recorded', () => {
  it('is refused when two of its events changed places', () => {
    const [third, fourth] = [own[3], own[4]];
    const swapped = events.map((event) =>
      event === third ? (fourth ?? event) : event === fourth ? (third ?? event) : event,
    );
    expect(refused(swapped)).toEqual([
      {
        where: `${stream}@3`,
        message: `position ${position(3)} stands after ${position(4)}: the order was changed`,
      },
      {
        where: `${stream}@4`,
        message: 'revision 4 stands where 3 belongs: the order was changed',
      },
    ]);
  });

  it('is refused when its end was cut off', () => {
    const last = own.length - 1;
    expect(refused(events.filter((event) => !(isOwn(event) && event.revision === last)))).toEqual([
      {
        where: `${stream}@${last - 1}`,
        message: 'the turn does not end: the history was cut, or exported while it ran',
      },
    ]);
  });

  it('is refused when an event in its middle was cut out', () => {
    expect(refused(events.filter((event) => !(isOwn(event) && event.revision === 4)))).toEqual([
      { where: `${stream}@5`, message: 'revision 4 is missing: the history was cut' },
    ]);
  });

  it('is refused when an event stands twice', () => {
    const doubled = events.flatMap((event) =>
      isOwn(event) && event.revision === 4 ? [event, event] : [event],
    );
    expect(refused(doubled)).toEqual([
      { where: `${stream}@4`, message: `the event \`${own[4]?.id ?? ''}\` stands twice` },
      { where: `${stream}@4`, message: 'revision 4 stands twice' },
    ]);
  });

  it('is refused when something stands after the end', () => {
    const last = own.at(-1);
    const steered = own[2];
    if (last === undefined || steered === undefined) throw new Error('no events');
    const more: LockstepEvent = {
      ...steered,
      id: '00000000-0000-7000-8000-000000000001',
      revision: last.revision + 1,
      position: '99999999999999999999',
      time: last.time,
    };
    expect(refused([...events, more])).toEqual([
      {
        where: `${stream}@${last.revision + 1}`,
        message: `${more.type} stands after the end of the turn`,
      },
    ]);
  });

  it('is refused when it does not begin with its request', () => {
    const shifted = events.flatMap((event) =>
      !isOwn(event)
        ? [event]
        : event.revision === 0
          ? []
          : [{ ...event, revision: event.revision - 1 }],
    );
    expect(refused(shifted)).toEqual([
      {
        where: `${stream}@0`,
        message: 'a turn begins with TurnRequested, not PolicyResolved',
      },
    ]);
  });

  it('is refused when an event has a schema that this build does not read', () => {
    expect(refused(change(2, (event) => ({ ...event, schema: 2 })))).toEqual([
      { where: `${stream}@2`, message: 'ModelCallStarted has schema 2 and this build reads 1' },
    ]);
  });

  it('is refused when a snapshot does not have its digest', () => {
    const edited = change(1, (event) => {
      if (event.type !== 'PolicyResolved' || !('inline' in event.data.snapshot)) return event;
      const { inline } = event.data.snapshot;
      return withData(event, {
        snapshot: { inline: { ...inline, tools: { ...inline.tools, denied: [] } } },
      });
    });
    expect(refused(edited)).toEqual([
      {
        where: `${stream}@1`,
        message: expect.stringMatching(
          /^the snapshot has digest `[0-9a-f]{64}` and not `[0-9a-f]{64}`: it was edited$/,
        ) as string,
      },
    ]);
  });

  it('is refused when an artifact does not have its digest', () => {
    const started = own.find((event) => event.type === 'ModelCallStarted');
    const list = started?.type === 'ModelCallStarted' ? `artifact-${started.data.tools}` : artifact;
    const edited = events.map((event) =>
      event.stream === list && event.type === 'ArtifactRecorded'
        ? withData(event, { text: event.data.text.replace('file_read', 'file_rea') })
        : event,
    );
    expect(refused(edited)).toEqual([
      {
        where: list,
        message: expect.stringMatching(/^the parts of artifact `.*` have digest `.*`$/) as string,
      },
    ]);
  });

  it('is refused when a config does not have its digest', () => {
    const edited = events.map((event) =>
      event.type === 'ConfigApplied' && 'inline' in event.data.content
        ? withData(event, {
            content: { inline: event.data.content.inline.replace('file_edit', 'file_edot') },
          })
        : event,
    );
    expect(refused(edited)).toEqual([
      {
        where: 'config@0',
        message: expect.stringMatching(
          /^the recorded config does not have its digest `[0-9a-f]{64}`$/,
        ) as string,
      },
    ]);
  });

  it('is refused when its config is another log’s', () => {
    const foreign = change(0, (event) =>
      withData(event, { config: { version: 1, digest: '0'.repeat(64) } }),
    );
    expect(refused(foreign)).toEqual([
      {
        where: 'config',
        message: expect.stringMatching(/it is another log's$/) as string,
      },
    ]);
  });

  it('is refused when an event belongs to another turn, agent or path', () => {
    expect(
      refused(
        change(3, (event) => ({
          ...event,
          meta: { ...event.meta, turn: 'other', agent: 'reader', path: 'gateway' },
        })),
      ),
    ).toEqual([
      { where: `${stream}@3`, message: 'this event belongs to the turn `other`' },
      {
        where: `${stream}@3`,
        message: 'this event is of the agent `reader` and the turn of `writer`',
      },
      {
        where: `${stream}@3`,
        message: 'this event is of the path `gateway` and the turn of `loop`',
      },
    ]);
  });

  it('is refused when an event is older than the one before it', () => {
    expect(refused(change(3, (event) => ({ ...event, time: 1 })))).toEqual([
      { where: `${stream}@3`, message: 'this event is older than the one before it' },
    ]);
  });

  it('is refused when it holds nothing of the turn', () => {
    expect(refused(events, 'nobody')).toEqual([
      { where: 'turn-nobody', message: 'the history holds no event of the turn `nobody`' },
    ]);
  });

  it('is refused line by line when a file holds what is no event', () => {
    const lines = own.map((event) => JSON.stringify(event));
    expect(
      readHistory([lines[0], '{', JSON.stringify({ ...own[1], extra: 1 })].join('\n')),
    ).toEqual({
      ok: false,
      problems: [
        { where: 'line 2', message: 'this line is no JSON' },
        { where: 'line 3', message: ': Unrecognized key: "extra"' },
      ],
    });
    expect(readHistory('\n')).toEqual({
      ok: false,
      problems: [{ where: 'line 1', message: 'the history holds no event' }],
    });
  });
});

describe('a history in a file', () => {
  it.each([
    ['the stream of a turn', { stream: `${stream}\u001b[2J` }],
    ['the turn that an event is of', { meta: { ...own[2]?.meta, turn: `${turn}\nsame turn` } }],
    ['a turn above it', { meta: { ...own[2]?.meta, chain: ['above\u2028same turn'] } }],
  ])('is refused when %s has a name that forges a report', (_, put) => {
    const lines = own.map((event, at) => JSON.stringify(at === 2 ? { ...event, ...put } : event));
    expect(readHistory(lines.join('\n'))).toMatchObject({
      ok: false,
      problems: [
        {
          where: 'line 3',
          message: 'the name of a turn holds a control character or a line separator',
        },
      ],
    });
  });
});
