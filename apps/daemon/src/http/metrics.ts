import type { EventStore, EventType, LockstepEvent } from '@lockstep/engine';

const counted = {
  TurnRequested: 'lockstep_turns_started_total',
  TurnCompleted: 'lockstep_turns_completed_total',
  TurnFailed: 'lockstep_turns_failed_total',
  TurnCancelled: 'lockstep_turns_cancelled_total',
  TurnRefused: 'lockstep_turns_refused_total',
  ToolCallAuthorized: 'lockstep_verdicts_total{verdict="allow"}',
  ApprovalRequested: 'lockstep_verdicts_total{verdict="ask"}',
  ToolCallRefused: 'lockstep_verdicts_total{verdict="refuse"}',
  ModelCallCompleted: 'lockstep_model_calls_total{outcome="completed"}',
  ModelCallFailed: 'lockstep_model_calls_total{outcome="failed"}',
  ConfigApplied: 'lockstep_configs_applied_total',
  ConfigRejected: 'lockstep_configs_rejected_total',
} as const satisfies Partial<Record<EventType, string>>;
const types = Object.keys(counted) as (keyof typeof counted)[];

/** A figure as it stands, by its name in the exposition. */
export type Gauges = Readonly<Record<string, number>>;

/** Counts what the log tells since this start. */
export interface Metrics {
  /** The Prometheus text form. */
  render(gauges: Gauges): string;
  close(): Promise<void>;
}

export const startMetrics = async (store: EventStore): Promise<Metrics> => {
  const counts = new Map<string, number>(Object.values(counted).map((name) => [name, 0]));
  const subscription = store.subscribe({ after: await store.head(), filter: { types } });
  const count = (event: LockstepEvent): void => {
    const name = (counted as Partial<Record<EventType, string>>)[event.type];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  const counting = (async () => {
    for await (const message of subscription) if (message.kind === 'event') count(message.event);
  })();
  counting.catch(() => undefined);
  return {
    render: (gauges) => exposition(counts, gauges),
    close: async () => {
      await subscription.return?.();
    },
  };
};

const exposition = (counts: ReadonlyMap<string, number>, gauges: Gauges): string => {
  const lines: string[] = [];
  const described = new Set<string>();
  const add = (name: string, kind: 'counter' | 'gauge', value: number): void => {
    const family = name.split('{', 1)[0] ?? name;
    if (!described.has(family)) lines.push(`# TYPE ${family} ${kind}`);
    described.add(family);
    lines.push(`${name} ${value}`);
  };
  for (const [name, value] of counts) add(name, 'counter', value);
  for (const [name, value] of Object.entries(gauges)) add(name, 'gauge', value);
  return `${lines.join('\n')}\n`;
};
