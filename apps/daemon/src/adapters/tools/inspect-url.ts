import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Operand } from '@lockstep/engine';
import { matchesHostClauses, type PolicySnapshot } from '@lockstep/policy';
import { isPrivate } from './address-kind.ts';

export type UrlOperand = Extract<Operand, { kind: 'url' }>;

/** Every address of a name. Replaced in specs, where no name but local ones resolves. */
export type Resolver = (host: string) => Promise<readonly string[]>;

const longestLookupMs = 5_000;

export const systemResolver: Resolver = async (host) => {
  const controller = new AbortController();
  const late = wait(longestLookupMs, [], { signal: controller.signal, ref: false });
  try {
    const found = lookup(host, { all: true, order: 'verbatim' });
    return (await Promise.race([found, late])).map((a: { address: string }) => a.address);
  } catch {
    return [];
  } finally {
    controller.abort();
    late.catch(() => undefined);
  }
};

/** What the machine says about an address that a call names. Only a host that the policy lets through is looked up: the question
 * itself would tell its name servers what the model wrote into the name. */
export const inspectUrl = async (
  { network }: Pick<PolicySnapshot, 'network'>,
  given: string,
  method: string,
  resolver: Resolver,
): Promise<UrlOperand> => {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null)
    return { kind: 'url', given, scheme: '', host: '', port: 0, method, addresses: [] };
  const host = hostOf(url);
  const scheme = url.protocol.slice(0, -1);
  const port = portOf(url);
  const named = isIP(host) === 0;
  const asked =
    (scheme === 'https' || scheme === 'http') &&
    matchesHostClauses(network.allowed_hosts, { scheme, host, port }).ok;
  const addresses = host === '' ? [] : !named ? [host] : asked ? await resolver(host) : [];
  return {
    kind: 'url',
    given,
    scheme,
    host,
    port,
    method,
    addresses: [...new Set(addresses)]
      .sort()
      .map((address) => ({ address, private: isPrivate(address) })),
  };
};

/** IPv6 addresses without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

export const portOf = (url: URL): number =>
  url.port === ''
    ? url.protocol === 'https:'
      ? 443
      : url.protocol === 'http:'
        ? 80
        : 0
    : Number(url.port);
