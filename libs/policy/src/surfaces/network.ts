import { clauses } from '../orders/clauses.ts';
import { trueIsNarrower } from '../orders/true-is-narrower.ts';
import { coversHosts } from './covers.ts';
import { layered } from './setting.ts';
import { hostClausesOf } from './written.ts';

/** Which hosts may be reached. */
export const networkSettings = {
  'network.allowed_hosts': layered('network.allowed_hosts', {
    order: clauses(coversHosts),
    layer: 'risk',
    fallback: '[]',
    explain: 'Hosts that may be reached; https unless `http://` is written.',
    pick: (tables) => tables.network?.allowed_hosts,
    read: hostClausesOf,
    default: () => [[]],
  }),
  'network.block_private_addresses': layered('network.block_private_addresses', {
    order: trueIsNarrower,
    layer: 'risk',
    fallback: 'true',
    explain: 'Whether addresses of this machine and of private networks are refused.',
    pick: (tables) => tables.network?.block_private_addresses,
    read: (written) => written,
    default: () => true,
  }),
};
