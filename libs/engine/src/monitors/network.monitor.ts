import type { Clauses } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import { isPrivateAddress } from './addresses.ts';
import { touchesOf, usesOf } from './calls.ts';
import { hostAllowed } from './matcher.ts';
import { governed, objector, refusedUnder, type Monitor } from './monitor.ts';

type Url = Extract<Operand, { kind: 'url' }>;

const urls = (operands: readonly Operand[]): readonly Url[] =>
  operands.filter((operand) => operand.kind === 'url');

const name = ({ scheme, host, port }: Pick<Url, 'scheme' | 'host' | 'port'>): string =>
  `${scheme}://${host}:${port}`;

const hosts = objector('network.allowed_hosts');
/** Every address named or connected to is on the list; none that is was refused for not being there. */
const hostsMonitor: Monitor = (turn) => [
  ...usesOf(turn).flatMap(({ at, policy, operands }) =>
    urls(operands)
      .filter((url) => !hostAllowed(policy.network.allowed_hosts, url))
      .map((url) => hosts.violated(at, `\`${name(url)}\` is not allowed, and was not refused`)),
  ),
  ...touchesOf(turn).flatMap(({ at, start, touched }) =>
    touched.flatMap((touch) =>
      touch.kind === 'connected' && !hostAllowed(start.policy.network.allowed_hosts, touch)
        ? [hosts.violated(at, `connected to \`${name(touch)}\`, which is not allowed`)]
        : [],
    ),
  ),
  ...governed(turn, 'ToolCallRefused').flatMap((at) => {
    const named = urls(at.event.data.facts.operands);
    const all = named.every((url) => reachable(at.policy.network.allowed_hosts, url));
    return at.event.data.rule === 'network.allowed_hosts' && named.length > 0 && all
      ? [hosts.narrower(at, 'every host of this call is allowed')]
      : [];
  }),
];

/** On the list, and something that can be called at all: it has an address, and no name or password stands in it. */
const reachable = (allowed: Clauses, url: Url): boolean =>
  hostAllowed(allowed, url) &&
  url.addresses.length > 0 &&
  !/^[a-z]+:[/\\\s]*[^/\\?#]*@/i.test(url.given.trim());

const addresses = objector('network.block_private_addresses');
/** No private address is let through or connected to; nothing else is refused for being one. */
const addressesMonitor: Monitor = (turn) => [
  ...usesOf(turn).flatMap(({ at, policy, operands }) =>
    policy.network.block_private_addresses
      ? urls(operands)
          .flatMap((url) => url.addresses)
          .filter(({ address, private: told }) => told || isPrivateAddress(address))
          .map(({ address }) => addresses.violated(at, `\`${address}\` is private`))
      : [],
  ),
  ...touchesOf(turn).flatMap(({ at, start, touched }) =>
    touched.flatMap((touch) =>
      touch.kind === 'connected' &&
      start.policy.network.block_private_addresses &&
      isPrivateAddress(touch.address)
        ? [addresses.violated(at, `connected to \`${touch.address}\`, which is private`)]
        : [],
    ),
  ),
  ...governed(turn, 'ToolCallRefused').flatMap((at) => {
    if (at.event.data.rule !== 'network.block_private_addresses') return [];
    const found = urls(at.event.data.facts.operands).flatMap((url) => url.addresses);
    const open = !found.some(({ address, private: told }) => told || isPrivateAddress(address));
    return !at.policy.network.block_private_addresses || (found.length > 0 && open)
      ? [addresses.narrower(at, 'no address of this call is blocked')]
      : [];
  }),
];

export const networkMonitors = {
  'network.allowed_hosts': hostsMonitor,
  'network.block_private_addresses': addressesMonitor,
};

export const networkWitnesses = {
  'network.allowed_hosts': refusedUnder('network.allowed_hosts'),
  'network.block_private_addresses': refusedUnder('network.block_private_addresses'),
};
