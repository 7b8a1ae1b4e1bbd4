import type { Config } from '@lockstep/policy';

/** Where a daemon listens, and whom it believes. */
export interface GatewaySettings {
  readonly host: string;
  readonly port: number;
  /** Addresses or CIDR blocks of proxies in front. */
  readonly trustedProxies: readonly string[];
  /** Names beside those of the config that the Host header may carry. */
  readonly extraHosts: readonly string[];
}

/** Flag, then environment, then file. Lists of the environment are separated by commas. */
export const gatewaySettings = (
  flags: { readonly host?: string | undefined; readonly port?: number | undefined },
  env: Readonly<Record<string, string | undefined>>,
  file: Config['gateway'],
): GatewaySettings => ({
  host: flags.host ?? file.host,
  port: flags.port ?? file.port,
  trustedProxies: listOf(env['LOCKSTEP_TRUSTED_PROXIES']) ?? file.trusted_proxies,
  extraHosts: listOf(env['LOCKSTEP_HOSTS']) ?? [],
});

const listOf = (text: string | undefined): readonly string[] | null =>
  text === undefined
    ? null
    : text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
