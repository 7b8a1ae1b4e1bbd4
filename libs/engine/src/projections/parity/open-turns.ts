import { addJudgement } from './evidence.ts';
import { judgeParity, type Judgement } from './judge-parity.ts';
import { copyOf, laneKey, type Lane, type OpenTurn, type ParityState } from './parity-state.ts';

/** The evidence with every open turn judged as far as it is: a copy of the lanes that open turns run in, the others as they are. */
export const withOpenTurns = (state: ParityState): ReadonlyMap<string, Lane> => {
  if (state.open.size === 0) return state.lanes;
  const lanes = new Map(state.lanes);
  const copied = new Set<string>();
  for (const turn of state.open.values()) {
    const judgement = judged(state, turn);
    if (judgement === null) continue;
    const name = laneKey(judgement.agent, judgement.trigger);
    const lane = lanes.get(name);
    if (lane !== undefined && !copied.has(name)) lanes.set(name, copyLane(lane));
    copied.add(name);
    addJudgement(lanes, judgement);
  }
  return lanes;
};

/** A turn is judged again only when an event came. */
const judged = (state: ParityState, turn: OpenTurn): Judgement | null => {
  const known = lastJudged.get(turn);
  if (known?.events === turn.events.length) return known.judgement;
  const judgement = judgeParity(state, turn);
  lastJudged.set(turn, { events: turn.events.length, judgement });
  return judgement;
};

/** Only saves work: an entry lives as long as its turn is open. */
const lastJudged = new WeakMap<
  OpenTurn,
  { readonly events: number; readonly judgement: Judgement | null }
>();

const copyLane = (lane: Lane): Lane => ({
  ...lane,
  variants: new Map(lane.variants),
  keys: new Map(
    [...lane.keys].map(([key, found]) => [
      key,
      new Map([...found].map(([id, evidence]) => [id, copyOf(evidence)])),
    ]),
  ),
});
