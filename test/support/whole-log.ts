import type { LockstepEvent } from '@lockstep/engine';

type Of<T extends LockstepEvent['type']> = Extract<LockstepEvent, { type: T }>;

const ends: ReadonlySet<string> = new Set([
  'TurnCompleted',
  'TurnFailed',
  'TurnCancelled',
  'TurnRefused',
]);
const decisions: ReadonlySet<string> = new Set([
  'ApprovalGranted',
  'ApprovalDenied',
  'ApprovalClosed',
  'ApprovalExpired',
]);

/** What a log must show once all that was open in it has come to its end, wherever its daemons died; empty = all of it.
 * @param found `acknowledged`: ids that a daemon was told are durable; `done`: what the tools of server `count` did, line by line, a
 * line of its own for each call */
export const lostOrTwice = (
  events: readonly LockstepEvent[],
  found: { readonly acknowledged: readonly string[]; readonly done: readonly string[] },
): readonly string[] => {
  const of = <T extends LockstepEvent['type']>(type: T) =>
    events.filter((event): event is Of<T> => event.type === type);
  const problems: string[] = [];
  const none = (what: string, list: readonly string[]): void => {
    if (list.length > 0) problems.push(`${what}: ${list.join(', ')}`);
  };
  const { acknowledged, done } = found;
  const ids = new Set(events.map(({ id }) => id));
  none(
    'acknowledged and lost',
    acknowledged.filter((id) => !ids.has(id)),
  );
  none('run twice', twice(done));

  const begun = of('TurnRequested').map(({ stream }) => stream);
  const ended = events.filter(({ type }) => ends.has(type)).map(({ stream }) => stream);
  none('begun twice', twice(begun));
  none('ended twice', twice(ended));
  none('never ended', without(begun, ended));
  const accepted = of('MessageAccepted').map(({ data }) => `turn-${data.turn}`);
  const dropped = of('MessageDropped').map(({ meta }) => `turn-${meta.turn ?? ''}`);
  none('accepted and never begun', without(accepted, [...begun, ...dropped]));

  const decided = events.flatMap((event) =>
    decisions.has(event.type) && 'approval' in event.data && typeof event.data.approval === 'string'
      ? [event.data.approval]
      : [],
  );
  none(
    'never decided',
    without(
      of('ApprovalRequested').map(({ data }) => data.approval),
      decided,
    ),
  );
  none('decided twice', twice(decided));
  none(
    'gate never decided',
    without(
      of('SopGateOpened').map(({ data }) => data.gate),
      of('SopGateDecided').map(({ data }) => data.gate),
    ),
  );
  const runs = [...of('SopRunCompleted'), ...of('SopRunFailed')].map(({ stream }) => stream);
  none(
    'run never ended',
    without(
      of('SopRunStarted').map(({ stream }) => stream),
      runs,
    ),
  );

  const starts = of('ToolCallStarted');
  const children = starts.flatMap(({ data }) =>
    (data.children ?? []).map(({ turn }) => `turn-${turn}`),
  );
  const below = of('TurnRequested').filter(({ meta }) => meta.agent === 'helper');
  none(
    'child without its call',
    without(
      below.map(({ stream }) => stream),
      children,
    ),
  );
  none('call without its child', without(children, begun));

  const delivered = [...of('ReplyDelivered'), ...of('ReplyDeliveryFailed')].map(
    ({ stream }) => stream,
  );
  const owed = of('MessageAccepted').filter(({ data }) => data.replyTo !== undefined);
  none(
    'reply never told of',
    without(
      owed.map(({ data }) => `turn-${data.turn}`),
      delivered,
    ),
  );

  const counted = new Set(
    starts.filter(({ data }) => data.tool.startsWith('mcp:count/')).map(nameOf),
  );
  const completed = of('ToolCallCompleted').filter((event) => counted.has(nameOf(event)));
  if (done.length > counted.size)
    problems.push(`${done.length} calls run, ${counted.size} recorded`);
  if (done.length < completed.length)
    problems.push(`${completed.length} calls completed, ${done.length} run`);
  none('kept twice', twice(of('MemoryStored').map(({ data }) => `${data.turn} ${data.call}`)));
  return problems;
};

const nameOf = ({
  stream,
  data,
}: {
  readonly stream: string;
  readonly data: { readonly call: string };
}): string => `${stream} ${data.call}`;

const without = (list: readonly string[], others: readonly string[]): readonly string[] => {
  const known = new Set(others);
  return list.filter((one) => !known.has(one));
};

const twice = (list: readonly string[]): readonly string[] => {
  const seen = new Set<string>();
  return list.filter((one) => seen.size === seen.add(one).size);
};
