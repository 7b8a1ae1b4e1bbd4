import { parseHostPattern } from '../../host-patterns.ts';
import type { ConfigProblem } from '../problem.ts';
import { atValue, riskHolders } from './check-context.ts';
import type { CheckContext, ConfigCheck } from './check-context.ts';
import type { ConfigPath } from '../problem.ts';

/** Host patterns of agents, addresses that the gateway binds and trusts, URLs of providers and servers. */
export const checkNetwork: ConfigCheck = (context) => [
  ...riskHolders(context).flatMap(({ path, tables }) => {
    const written = tables.network?.allowed_hosts ?? [];
    if (written === '*') return [];
    return written.flatMap((pattern, index) => {
      if (pattern === '*' || parseHostPattern(pattern) !== null) return [];
      const at = [...path, 'network', 'allowed_hosts', index];
      return [atValue(context, 'invalid_value', at, noHost(pattern))];
    });
  }),
  ...checkGateway(context),
  ...checkUrls(context),
];

const noHost = (pattern: string): string =>
  `\`${pattern}\` is no host pattern, write a host, \`*.host\` or \`http://host\`, each with a port or without`;

const checkGateway = (context: CheckContext): ConfigProblem[] => {
  const { host, hosts, trusted_proxies: proxies } = context.config.gateway;
  const problems: ConfigProblem[] = [];
  if (!isName(host))
    problems.push(
      atValue(context, 'invalid_value', ['gateway', 'host'], 'must be a host name or an address'),
    );
  else if (!isLoopback(host) && proxies.length === 0)
    problems.push(
      atValue(
        context,
        'unsafe_bind',
        ['gateway', 'host'],
        `\`${host}\` can be reached from other machines without TLS, bind \`127.0.0.1\` or name the proxy in front in \`gateway.trusted_proxies\``,
      ),
    );
  hosts.forEach((name, index) => {
    const at = ['gateway', 'hosts', index];
    if (!isName(name))
      problems.push(atValue(context, 'invalid_value', at, 'must be a host name without a port'));
  });
  proxies.forEach((block, index) => {
    const at = ['gateway', 'trusted_proxies', index];
    if (!isAddressBlock(block))
      problems.push(
        atValue(
          context,
          'invalid_value',
          at,
          'must be an address or a CIDR block narrower than `/0`',
        ),
      );
  });
  return problems;
};

const checkUrls = (context: CheckContext): ConfigProblem[] => [
  ...Object.entries(context.config.providers).flatMap(([alias, provider]) =>
    provider.type === 'scripted' || provider.base_url === undefined
      ? []
      : checkUrl(context, ['providers', alias, 'base_url'], provider.base_url),
  ),
  ...Object.entries(context.config.mcp.servers).flatMap(([alias, server]) =>
    server.transport === 'http'
      ? checkUrl(context, ['mcp', 'servers', alias, 'url'], server.url)
      : [],
  ),
];

const checkUrl = (context: CheckContext, path: ConfigPath, url: string): ConfigProblem[] => {
  if (!/^https?:\/\//i.test(url))
    return [atValue(context, 'invalid_value', path, 'must begin with `https://` or `http://`')];
  // A password in an address would enter events and the console with it.
  if (/^https?:\/\/[^/?#]*@/i.test(url))
    return [
      atValue(
        context,
        'invalid_value',
        path,
        'must hold no user or password, use a secret reference',
      ),
    ];
  return [];
};

/** Whether only this machine reaches what binds to a name or address. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.[0-9]{1,3}){3}|::1|\[::1\])$/i.test(host);

const isName = (host: string): boolean => {
  if (host.includes('*') || host.includes('/')) return false;
  const bare = host.replace(/^\[|\]$/g, '');
  return host === '::' || parseHostPattern(bare.includes(':') ? `[${bare}]` : bare)?.port === 443;
};

const isAddressBlock = (block: string): boolean => {
  const [address = '', bits, ...rest] = block.split('/');
  if (rest.length > 0 || !/[.:]/.test(address) || !isName(address)) return false;
  const isV6 = address.includes(':');
  if (!isV6 && !/^[0-9.]+$/.test(address)) return false;
  if (bits === undefined) return true;
  return /^[1-9][0-9]{0,2}$/.test(bits) && Number(bits) <= (isV6 ? 128 : 32);
};
