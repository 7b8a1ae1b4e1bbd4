import { entryOf } from '../orders/map.ts';
import type { AppliedConfig } from '../resolution.ts';
import type { Origin, Principal, ResolveRecords, ResolveRequest } from '../request.ts';

/** Whether the principal can have made this request, and is the person it says: null when both hold, else why not. */
export const principalProblem = (
  { config }: AppliedConfig,
  request: ResolveRequest,
  records: ResolveRecords,
  mode: 'first' | 'again',
): string | null => {
  const claim = claimOf(request, records);
  if (typeof claim === 'string') return claim;
  const { person } = request.principal;
  if (claim.identity === null)
    return person === null || entryOf(config.people, person) !== null
      ? null
      : `no person is called \`${person}\``;
  const { identity } = claim;
  const holders = Object.entries(config.people)
    .filter(([, { identities }]) => identities.includes(identity))
    .map(([name]) => name);
  if (person === null) {
    // A person that config came to know after the turn began changes nothing for it.
    if (holders.length === 0 || mode === 'again') return null;
    return `\`${identity}\` belongs to person \`${holders.join('`, `')}\`, which the request does not say`;
  }
  if (holders.includes(person)) return null;
  return `\`${identity}\` is no identity of person \`${person}\``;
};

/** The identity that a person must hold to be claimed; null = the claim comes down from the root turn. */
interface Claim {
  readonly identity: string | null;
}

/** Who may stand behind an origin: the kind, and the id that the record says. */
interface Expected {
  readonly kind: Principal['kind'];
  readonly id: string | null;
  readonly identity: string | null;
}

const claimOf = (request: ResolveRequest, records: ResolveRecords): Claim | string => {
  const { origin, principal } = request;
  const expected = expectations[origin.kind](request, records);
  if (expected === 'anyone') return { identity: null };
  if (principal.kind !== expected.kind)
    return `a principal of kind \`${principal.kind}\` cannot make a request of origin \`${origin.kind}\``;
  if (expected.id !== null && expected.id !== principal.id)
    return `principal \`${principal.id}\` is not \`${expected.id}\``;
  if (origin.kind === 'channel' && !isSenderOn(origin.binding, principal.id))
    return `principal \`${principal.id}\` is no sender on channel \`${origin.binding}\``;
  return { identity: expected.identity };
};

const isSenderOn = (binding: string, id: string): boolean =>
  id.startsWith(`${binding}/`) && id.length > binding.length + 1;

type Expect = (request: ResolveRequest, records: ResolveRecords) => Expected | 'anyone';

const local: Expect = ({ principal }) => ({
  kind: 'local',
  id: null,
  identity: `local:${principal.id}`,
});

/** The local token acts for the person at the machine, every other one for itself. */
const token: Expect = (request, records) => {
  if (records.token === undefined || records.token.name === 'local') return local(request, records);
  const { id, name } = records.token;
  return { kind: 'token', id, identity: `token:${name}` };
};

const child: Expect = (_, { parent }) => ({
  kind: 'agent',
  id: parent?.snapshot.agent ?? null,
  identity: null,
});

const expectations: Readonly<Record<Origin['kind'], Expect>> = {
  channel: ({ principal }) => ({ kind: 'peer', id: null, identity: principal.id }),
  json_rpc: local,
  acp: local,
  run: local,
  rest: token,
  websocket: token,
  openai: token,
  cron: ({ origin }) => ({
    kind: 'job',
    id: origin.kind === 'cron' ? origin.job : null,
    identity: null,
  }),
  heartbeat: () => ({ kind: 'job', id: null, identity: null }),
  subagent: child,
  delegate: child,
  peer: child,
  sop: () => 'anyone',
};
