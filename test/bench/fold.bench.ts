import {
  approvalsInbox,
  emptyLedger,
  evolve,
  foldLedger,
  initialState,
  ledgerTypes,
  parityMatrix,
  turnList,
  type KeyedProjection,
  type LockstepEvent,
  type RecordedFact,
} from '@lockstep/engine';
import { eventsOf, memoryWorld, turnRate } from './turn-world.ts';
import { quick, report } from './figures.ts';

// How fast each fold goes over a log of whole turns that is in memory already: no reading, no writing.
const world = await memoryWorld('steps');
await turnRate(world, { atOnce: 8, seconds: quick ? 2 : 6 });
const log = await eventsOf(world.store);
await world.close();

/** The best of several passes, so that what other programs do counts least. */
const rateOf = (events: readonly LockstepEvent[], pass: () => unknown): number => {
  let best = 0;
  for (let n = 0; n < (quick ? 3 : 8); n++) {
    const begin = performance.now();
    pass();
    best = Math.max(best, events.length / ((performance.now() - begin) / 1_000));
  }
  return best;
};
const aim = { atLeast: 200_000 };
const wanted = (types: readonly string[] | 'all') =>
  types === 'all' ? log : log.filter(({ type }) => types.includes(type));

const parity = parityMatrix({ supportedTriggers: ['rest', 'run'] });
const ofParity = wanted(parity.types);
report(
  'fold parity-matrix',
  rateOf(log, () => ofParity.reduce((state, event) => parity.fold(state, event), parity.initial())),
  'events/s',
  aim,
);

const keyed = <Row>(projection: KeyedProjection<Row>, events: readonly LockstepEvent[]): void => {
  const mine = events.filter(
    ({ type }) => projection.types === 'all' || projection.types.includes(type),
  );
  const pass = (): void => {
    const rows = new Map<string, Row>();
    for (const event of mine) {
      const key = projection.keyOf(event);
      if (key === null) continue;
      const row = projection.fold(rows.get(key) ?? null, event);
      if (row === null) rows.delete(key);
      else rows.set(key, row);
    }
  };
  report(`fold ${projection.name}`, rateOf(events, pass), 'events/s', aim);
};

/** The same log as if a person had been asked about every call: request and decision in the place of each verdict. */
const asked = log.flatMap((event): readonly LockstepEvent[] => {
  if (event.type !== 'ToolCallAuthorized') return [event];
  const { by, grant, approval, ...judged } = event.data;
  const id = `${event.stream} ${judged.call}`;
  const shown = judged.argsDigest;
  const view = { inline: `${by} ${String(grant)} ${String(approval)}` };
  return [
    {
      ...event,
      type: 'ApprovalRequested',
      data: { ...judged, approval: id, view, deadline: 'never', route: 'inbox', grantable: true },
    },
    {
      ...event,
      type: 'ApprovalGranted',
      data: {
        approval: id,
        call: judged.call,
        by: { principal: 'token:ana', person: 'ana', surface: 'rest' },
        choice: 'once',
        binding: judged.binding,
        shown,
        grant: null,
      },
    },
  ];
});
keyed(turnList, log);
keyed(approvalsInbox, asked);

const ofLedger = wanted(ledgerTypes);
report(
  'fold ledger',
  rateOf(log, () => {
    const state = emptyLedger();
    for (const event of ofLedger) foldLedger(state, event);
  }),
  'events/s',
  aim,
);

const ofTurns = log.filter(({ stream }) => stream.startsWith('turn-'));
report(
  'fold turn states',
  rateOf(ofTurns, () => {
    const states = new Map<string, ReturnType<typeof initialState>>();
    for (const event of ofTurns) {
      const state = states.get(event.stream) ?? initialState(event.stream.slice(5));
      states.set(event.stream, evolve(state, event as RecordedFact));
    }
  }),
  'events/s',
  aim,
);
