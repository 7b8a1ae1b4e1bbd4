import type {
  DataOf,
  EventStore,
  ExpectedRevision,
  NewEvent,
  OpenTurn,
  promisedGrants,
} from '@lockstep/engine';
import type { NewMeta } from '@lockstep/engine';
import { TurnHaltedError } from './turn-log.ts';
import { granteeOf } from './turn-prepare.ts';

type Promised = ReturnType<typeof promisedGrants>[number];

/** Issues the standing grant that an `always` promised. The event's id is the grant's, so that it is issued once however often a
 * restart comes in between, and is not issued again after it was revoked.
 * @throws TurnHaltedError when the log takes no writes */
export const issueGrant = async (
  store: EventStore,
  state: OpenTurn,
  { call, meta }: { readonly call: Promised; readonly meta: NewMeta },
): Promise<void> => {
  const { grant, judged } = call;
  if (grant === null || judged.facts.spec === null) return;
  const { agent, session, principal } = state.request;
  const event: NewEvent = {
    type: 'GrantIssued',
    id: grant.id,
    schema: 1,
    meta: { ...meta, causation: call.approval.id },
    data: {
      grant: grant.id,
      agent,
      tool: judged.tool,
      spec: judged.facts.spec,
      person: grant.anyone ? null : granteeOf(principal),
      scope: grant.scope === 'agent' ? { kind: 'agent' } : { kind: 'session', session },
      arguments: argumentsOf(grant, judged.argsDigest),
      expires: grant.expires,
      by: call.by,
      approval: call.approval.id,
    },
  };
  let expected: ExpectedRevision = 'no-stream';
  for (;;) {
    const result = await store.append(`agent-${agent}`, [event], expected);
    if (result.ok) return;
    if (result.reason !== 'conflict') throw new TurnHaltedError('the grant could not be recorded');
    expected = result.actual;
  }
};

/** Named fields without any name nothing in particular: then it is these arguments and no others. */
const argumentsOf = (
  { arguments: kind, fields = [] }: NonNullable<Promised['grant']>,
  digest: string,
): DataOf<'GrantIssued'>['arguments'] => {
  if (kind === 'any') return { kind };
  return kind === 'fields' && fields.length > 0 ? { kind, fields } : { kind: 'exact', digest };
};
