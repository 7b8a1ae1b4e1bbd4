import { policySnapshotSchema, type PolicySnapshot } from '@lockstep/policy';
import type { DataOf, TurnEvent } from '../events/event.ts';
import { eventTitle } from './event-title.ts';
import type { ChildOfTurn, TimelineStep, TurnDetail } from './turn-detail.view.ts';
import { turnList, type TurnListRow } from './turn-list.ts';

/** The text of an artifact by digest, or null when it was not handed in. */
export type ArtifactText = (digest: string) => string | null;

/** A turn's detail with its row as the list keeps it. */
export interface FoldedTurn extends TurnDetail {
  readonly row: TurnListRow;
}

/** One turn from the events of its stream; null when they say nothing of whose turn it is. */
export const turnDetail = (
  events: readonly TurnEvent[],
  artifacts: ArtifactText = () => null,
): FoldedTurn | null =>
  events.reduce<FoldedTurn | null>(
    (detail, event) => foldTurnDetail(detail, event, artifacts),
    null,
  );

/** Takes one more event of the turn's stream in, for a page that is open. Answers a new value; the old one stays as it is. */
export const foldTurnDetail = (
  detail: FoldedTurn | null,
  event: TurnEvent,
  artifacts: ArtifactText = () => null,
): FoldedTurn | null => {
  const row = turnList.fold(detail?.row ?? null, event);
  if (row === null) return detail;
  return {
    row,
    policy: policyAfter(detail?.policy ?? null, event, artifacts),
    steps: [...(detail?.steps ?? []), stepOf(event, detail)],
    pendingApprovals: row.pending,
    origin: originAfter(detail?.origin ?? null, event),
    chain: detail?.chain ?? event.meta.chain,
    children: childrenAfter(detail?.children ?? [], event),
  };
};

const originAfter = (origin: TurnDetail['origin'], event: TurnEvent): TurnDetail['origin'] =>
  event.type === 'TurnRequested' ? event.data.request.origin : origin;

const childrenAfter = (
  children: readonly ChildOfTurn[],
  event: TurnEvent,
): readonly ChildOfTurn[] => {
  if (event.type !== 'ChildTurnLinked') return children;
  const { call, child, agent, background = false } = event.data;
  return [...children, { event: event.id, call, turn: child, agent, background }];
};

const stepOf = (event: TurnEvent, before: FoldedTurn | null): TimelineStep => {
  const said = eventTitle(event);
  const call = said.call ?? null;
  return {
    event: event.id,
    type: event.type,
    position: event.position,
    at: event.time,
    tone: said.tone,
    title: said.title,
    detail: said.detail ?? null,
    call,
    tool: said.tool ?? (call === null ? null : toolOfCall(before, call)),
    rule: said.rule ?? null,
    pattern: said.pattern ?? null,
    approval: said.approval ?? null,
  };
};

/** The tool of a call as an earlier step named it. */
const toolOfCall = (detail: FoldedTurn | null, call: string): string | null =>
  detail?.steps.findLast((step) => step.call === call && step.tool !== null)?.tool ?? null;

const policyAfter = (
  policy: TurnDetail['policy'],
  event: TurnEvent,
  artifacts: ArtifactText,
): TurnDetail['policy'] => {
  if (event.type === 'PolicyResolved') {
    const { config, digest, provenance, narrowings } = event.data;
    const snapshot = readSnapshot(event.data.snapshot, artifacts);
    return { config, digest, snapshot, provenance, narrowings, narrowedSince: [] };
  }
  if (event.type !== 'PolicyNarrowed' || policy === null) return policy;
  const { config, digest, keys } = event.data;
  const narrowedSince = [...new Set([...policy.narrowedSince, ...keys])];
  return {
    ...policy,
    config,
    digest,
    snapshot: readSnapshot(event.data.snapshot, artifacts),
    narrowedSince,
  };
};

const readSnapshot = (
  ref: DataOf<'PolicyResolved'>['snapshot'],
  artifacts: ArtifactText,
): PolicySnapshot | null => {
  if ('inline' in ref) return ref.inline;
  const text = artifacts(ref.artifact);
  const read = text === null ? null : policySnapshotSchema.safeParse(parsed(text));
  return read?.success === true ? read.data : null;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
