import type { LockstepEvent, TurnFact } from '../../events/event.ts';
import { differences } from '../compare.ts';
import { asRecordedThen } from '../other-registry.ts';
import { cursorOf } from './inputs-now.ts';
import type { ComparedStep } from './report.ts';
import { refOf } from './verdicts.ts';
import type { Walk } from './walk.ts';

/** The two timelines, one beside the other: what is the same thing on both sides stands in one line. */
export const comparedSteps = (walk: Walk): readonly ComparedStep[] => {
  const { events, horizon } = walk;
  const known = horizon === null ? events : events.slice(0, horizon);
  const facts = factsOf(walk);
  const steps: ComparedStep[] = [];
  let next = 0;
  for (const event of known) {
    const name = nameOf(event);
    const found = facts.findIndex((fact, i) => i >= next && nameOf(fact) === name);
    if (found === -1) {
      steps.push(onlyRecorded(event, 'differs'));
      continue;
    }
    for (const fact of facts.slice(next, found)) steps.push(onlyNow(fact));
    const fact = facts[found];
    if (fact !== undefined) steps.push(both(event, fact));
    next = found + 1;
  }
  for (const fact of facts.slice(next)) steps.push(onlyNow(fact));
  for (const event of events.slice(known.length)) steps.push(onlyRecorded(event, 'beyond_horizon'));
  return steps;
};

const factsOf = (walk: Walk): readonly TurnFact[] => {
  const second = walk.events[1];
  const registry = second?.type === 'PolicyResolved' ? second.data.registry : null;
  const facts = walk.facts.map(({ fact }) => fact);
  return asRecordedThen({ ...cursorOf(walk), otherRegistry: registry }, facts);
};

const asFact = ({ type, data }: LockstepEvent): TurnFact => ({ type, data }) as TurnFact;

/** What makes two facts the same thing: the type, and the call or model call that they are of. */
const nameOf = ({ type, data }: LockstepEvent | TurnFact): string => {
  const of = ['call', 'modelCall', 'attempt', 'key', 'child'].map((field) => {
    const value: unknown = Reflect.get(data, field);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  });
  return [type, ...of].join(' ');
};

const both = (event: LockstepEvent, fact: TurnFact): ComparedStep => {
  const recorded = asFact(event);
  const fields = differences(recorded, fact);
  return {
    recorded: { at: refOf(event), fact: recorded },
    now: fact,
    state: fields.length === 0 ? 'same' : 'differs',
    fields,
  };
};

const onlyRecorded = (event: LockstepEvent, state: ComparedStep['state']): ComparedStep => ({
  recorded: { at: refOf(event), fact: asFact(event) },
  now: null,
  state,
  fields: [],
});

const onlyNow = (fact: TurnFact): ComparedStep => ({
  recorded: null,
  now: fact,
  state: 'differs',
  fields: [],
});
