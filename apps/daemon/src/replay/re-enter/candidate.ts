import type { EventOf } from '@lockstep/engine';
import type {
  AppliedConfig,
  Principal,
  ResolveRecords,
  ResolveRequest,
  TokenRecord,
} from '@lockstep/policy';
import { ownSession } from '../../turns/request-ids.ts';
import type { TurnRequest } from '../../turns/turns.port.ts';

/** A recorded turn that is asked for again on another way, and the config that says which ways there are. */
export interface Asking {
  readonly turn: string;
  readonly requested: EventOf<'TurnRequested'>['data'];
  /** Text of the recorded message. */
  readonly input: string;
  readonly applied: AppliedConfig;
}

/** A request as an adapter makes it, with what the log would say of its origin. */
export interface Candidate {
  readonly request: TurnRequest;
  readonly records: ResolveRecords;
  /** What was assumed. */
  readonly notes: readonly string[];
}

/** The requests that a way could make for the agent, or why config has none. */
export type Candidates = readonly Candidate[] | string;
export type FindCandidates = (asking: Asking) => Candidates;

/** The identity of a request with the person that config has for it. */
export const known = (
  kind: Principal['kind'],
  id: string,
  { asking, identity }: { readonly asking: Asking; readonly identity: string },
): Principal => {
  const { people } = asking.applied.config;
  const holder = Object.entries(people).find(([, one]) => one.identities.includes(identity));
  return { kind, id, person: holder?.[0] ?? null };
};

/** Who works at the machine itself: the recorded identity where it is one. */
export const localOf = (asking: Asking): Principal => {
  const { principal } = asking.requested.request;
  const id = principal.kind === 'local' ? principal.id : 'local';
  return known('local', id, { asking, identity: `local:${id}` });
};

/** The local token, which takes nothing away. */
export const localToken: TokenRecord = {
  id: 'local',
  name: 'local',
  roles: ['admin'],
  scopes: { agents: ['*'], tools: ['*'] },
};

/** The session that a client of its own accord goes on with: the recorded one, where it came by such a way. */
export const keptSession = ({ requested }: Asking): string | null =>
  keeping.has(requested.trigger) ? requested.request.session : null;

const keeping: ReadonlySet<string> = new Set([
  'rest',
  'websocket',
  'openai',
  'json-rpc',
  'acp',
  'run',
]);

/** The request as `resolve()` takes it. A turn that takes no session has its own. */
export const resolvable = (
  { agent, principal, session, origin, client }: TurnRequest,
  turn: string,
): ResolveRequest => ({
  agent,
  principal,
  session: session ?? ownSession(agent, turn),
  origin,
  client,
});
