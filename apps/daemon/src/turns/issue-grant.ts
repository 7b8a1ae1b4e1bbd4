import type { DataOf, EventStore, NewMeta, OpenTurn, promisedGrants } from '@lockstep/engine';
import { appendShared } from './append-shared.ts';
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
  const recorded = await appendShared(store, `agent-${agent}`, {
    type: 'GrantIssued',
    id: grant.id,
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
  });
  if (!recorded) throw new TurnHaltedError('the grant could not be recorded');
};

/** Named fields without any name nothing in particular: then it is these arguments and no others. */
const argumentsOf = (
  { arguments: kind, fields = [] }: NonNullable<Promised['grant']>,
  digest: string,
): DataOf<'GrantIssued'>['arguments'] => {
  if (kind === 'any') return { kind };
  return kind === 'fields' && fields.length > 0 ? { kind, fields } : { kind: 'exact', digest };
};
