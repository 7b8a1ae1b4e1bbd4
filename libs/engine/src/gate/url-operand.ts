import { matchesHostClauses, type PolicySnapshot } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import type { Withheld } from '../tools/withheld.ts';

export type UrlOperand = Extract<Operand, { kind: 'url' }>;

/** The rule that an address on the network breaks, or null: scheme, credentials, host and port by pattern, then every address that
 * the name resolved to. */
export const judgeUrl = (policy: PolicySnapshot, operand: UrlOperand): Withheld | null => {
  const { scheme, host, port } = operand;
  if (scheme !== 'https' && scheme !== 'http')
    return noHost(`the scheme \`${scheme}\` is neither https nor http`);
  if (host === '') return noHost('the address names no host');
  if (holdsCredentials(operand.given))
    return noHost(`the address of \`${host}\` carries a user name or password`);
  if (!matchesHostClauses(policy.network.allowed_hosts, { scheme, host, port }).ok)
    return noHost(`no allowed host pattern covers \`${scheme}://${host}:${port}\``);
  return judgeAddresses(policy, operand);
};

const judgeAddresses = (policy: PolicySnapshot, operand: UrlOperand): Withheld | null => {
  const { addresses, host } = operand;
  if (addresses.length === 0) return noHost(`\`${host}\` resolves to no address`);
  if (!policy.network.block_private_addresses) return null;
  const inside = addresses.find((a) => a.private);
  return inside === undefined
    ? null
    : {
        rule: 'network.block_private_addresses',
        pattern: null,
        why: `\`${host}\` resolves to the private address \`${inside.address}\``,
      };
};

const noHost = (why: string): Withheld => ({ rule: 'network.allowed_hosts', pattern: null, why });

/** A user part stands before the first slash, question mark or hash; a parser takes a backslash for a slash as well. */
const holdsCredentials = (given: string): boolean => {
  const start = given.indexOf(':');
  const authority = given.slice(start + 1).replace(/^[/\\\s]+/, '');
  return (/^[^/\\?#]*/.exec(authority)?.[0] ?? '').includes('@');
};
