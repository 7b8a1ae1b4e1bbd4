import type { DataOf } from '../events/event.ts';

/** The call that a standing approval would have to cover. */
export interface GrantedCall {
  readonly agent: string;
  /** Canonical id. */
  readonly tool: string;
  /** Digest of the tool's spec: a changed tool voids its grants. */
  readonly spec: string;
  /** Null: nobody in particular; only grants for anyone match. */
  readonly person: string | null;
  readonly session: string;
  readonly argsDigest: string;
  /** Ms since the epoch. */
  readonly now: number;
}

/** Ids of the issued, unrevoked grants that cover a call, in the order given. */
export const matchGrants = (
  grants: readonly DataOf<'GrantIssued'>[],
  call: GrantedCall,
): string[] => grants.filter((grant) => covers(grant, call)).map((grant) => grant.grant);

const covers = (grant: DataOf<'GrantIssued'>, call: GrantedCall): boolean =>
  grant.agent === call.agent &&
  grant.tool === call.tool &&
  grant.spec === call.spec &&
  (grant.person === null || grant.person === call.person) &&
  (grant.scope.kind === 'agent' || grant.scope.session === call.session) &&
  (grant.arguments.kind === 'any' ||
    (grant.arguments.kind === 'exact' && grant.arguments.digest === call.argsDigest)) &&
  (grant.expires === 'never' || call.now < grant.expires);
