import { canonicalJson, isWithin } from '@lockstep/policy';
import type { DataOf } from '../events/event.ts';
import type { GrantField, Operand } from '../events/parts.ts';
import { valueAt } from '../tools/operand-pointers.ts';

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
  /** Parsed arguments; null when they cannot be read. */
  readonly args: unknown;
  readonly operands: readonly Operand[];
  /** Real path of the agent's workspace: where a relative folder of a grant starts. */
  readonly root: string | null;
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
  coversArguments(grant.arguments, call) &&
  (grant.expires === 'never' || call.now < grant.expires);

const coversArguments = (
  granted: DataOf<'GrantIssued'>['arguments'],
  call: GrantedCall,
): boolean => {
  switch (granted.kind) {
    case 'any':
      return true;
    case 'exact':
      return granted.digest === call.argsDigest;
    case 'fields':
      // INVARIANT: no field is no condition, and no condition covers nothing.
      return granted.fields.length > 0 && granted.fields.every((field) => holds(field, call));
  }
};

const holds = (field: GrantField, call: GrantedCall): boolean => {
  const value = valueAt(call.args, field.at);
  if (value === undefined) return false;
  return 'equals' in field
    ? canonicalJson(value) === canonicalJson(field.equals)
    : isBelow(value, field.below, call);
};

/** Where the file really is counts, not what the argument says. */
const isBelow = (value: unknown, folder: string, { operands, root }: GrantedCall): boolean => {
  if (typeof value !== 'string') return false;
  const base = folder.startsWith('/') ? folder : root === null ? null : `${root}/${folder}`;
  const named = operands.filter((one) => one.kind === 'path' && one.given === value);
  return (
    base !== null &&
    named.length > 0 &&
    named.every((one) => one.kind === 'path' && one.real !== null && isWithin(base, one.real))
  );
};
