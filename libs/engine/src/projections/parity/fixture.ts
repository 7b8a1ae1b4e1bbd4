import {
  configSchema,
  readableConfig,
  resolve,
  type AppliedConfig,
  type PolicySnapshot,
  type ResolveRecords,
  type ResolveRequest,
} from '@lockstep/policy';
import type { Meta } from '../../events/envelope.ts';
import type { EventOf, LockstepEvent, TurnEvent, TurnFact } from '../../events/event.ts';
import { ended, modelCall } from '../../monitors/fixture/facts.ts';
import { fixtureMeta, streamOf } from '../../monitors/fixture/stream.ts';

/** A config of two agents, applied as this version. */
export const fixtureConfig = (
  version: number,
  agents: Record<string, unknown> = {},
): AppliedConfig => {
  const complete = { provider: 'local', risk_profile: 'careful', runtime_profile: 'short' };
  const config = configSchema.parse({
    providers: { local: { type: 'scripted', script: 'a.yaml' } },
    risk_profiles: { careful: { tools: { allowed: ['file_*'], denied: ['file_edit'] } } },
    runtime_profiles: { short: { memory: { backend: 'none' } } },
    agents: { researcher: { ...complete, ...agents }, reviewer: complete },
  });
  const host = {
    home: '/home/ana',
    base: '/srv',
    data: '/data',
    config: '/srv/l.toml',
    program: [],
  };
  return { version, digest: readableConfig(config).digest, config, host };
};

/** The event that a config is applied by. */
export const configApplied = (applied: AppliedConfig, at = 0): EventOf<'ConfigApplied'> => ({
  id: `00000000-0000-7000-8000-c${String(applied.version).padStart(11, '0')}`,
  stream: 'config',
  revision: applied.version - 1,
  position: String(at).padStart(20, '0'),
  schema: 1,
  time: 1_800_000_000_000 + at,
  meta: {
    ...fixtureMeta,
    agent: null,
    path: null,
    trigger: null,
    principal: null,
    session: null,
    turn: null,
    root: null,
    agentSeq: null,
  },
  type: 'ConfigApplied',
  data: {
    version: applied.version,
    content: { inline: readableConfig(applied.config).text },
    digest: applied.digest,
    by: 'file',
    diff: [],
    widens: [],
    host: applied.host,
  },
});

/** A request of an agent over REST, by a token of this scope of tools. */
export const restRequest = (
  agent = 'researcher',
  tools: string[] = ['*'],
): { request: ResolveRequest; records: ResolveRecords } => ({
  request: {
    agent,
    principal: { kind: 'token', id: 'tok-1', person: null },
    session: 's-1',
    origin: { kind: 'rest', token: 'tok-1' },
    client: 'none',
  },
  records: {
    token: { id: 'tok-1', name: 'ana', roles: ['operator'], scopes: { agents: ['*'], tools } },
  },
});

/** How the recorded turn departs from what config says. */
export interface Departure {
  readonly turn?: string;
  readonly policy?: (snapshot: PolicySnapshot) => PolicySnapshot;
  readonly between?: readonly TurnFact[];
  readonly tools?: string[];
  readonly meta?: Partial<Meta>;
  readonly from?: number;
}

/** A turn over REST under what resolve() says of a config. */
export const recordedTurn = (
  applied: AppliedConfig,
  departure: Departure = {},
): readonly TurnEvent[] => {
  const asked = restRequest('researcher', departure.tools);
  const found = resolve(applied, asked.request, asked.records);
  if (!found.ok) throw new TypeError(found.problems.map(({ message }) => message).join());
  const { parts } = found.policy;
  const config = { version: applied.version, digest: applied.digest };
  const snapshot = departure.policy?.(parts.snapshot) ?? parts.snapshot;
  const meta: Meta = { ...fixtureMeta, turn: departure.turn ?? 't-1', ...departure.meta };
  return streamOf(
    [
      {
        type: 'TurnRequested',
        data: {
          ...asked,
          config,
          path: 'gateway',
          trigger: 'rest',
          input: { inline: 'tidy the notes' },
          message: null,
          history: [],
        },
      },
      {
        type: 'PolicyResolved',
        data: {
          config,
          registry: parts.registry,
          snapshot: { inline: snapshot },
          digest: parts.digest,
          surfaces: { ...parts.surfaces },
          provenance: [...parts.provenance],
          narrowings: [...parts.narrowings],
        },
      },
      ...modelCall(1, [], 'Done.'),
      ...(departure.between ?? []),
      ended('Done.'),
    ],
    meta,
    departure.from ?? 10,
  );
};

/** Everything in order. */
export const logOf = (...parts: readonly (LockstepEvent | readonly LockstepEvent[])[]) =>
  parts.flat() as readonly LockstepEvent[];
