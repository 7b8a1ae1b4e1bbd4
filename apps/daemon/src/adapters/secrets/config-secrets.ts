import { secretRef, type Config, type SecretRef } from '@lockstep/policy';
import { passwordsIn } from '../../store/eventstore/connection-text.ts';
import type { KnownSecret } from './secret-masker.ts';
import { readSecret, shortestSecret, type SecretSource } from './secret-ref.ts';

/** Every reference that a config holds, by the path where it stands. */
export const secretRefs = (
  config: Config,
): readonly { readonly at: string; readonly ref: SecretRef }[] => {
  const found: { at: string; ref: SecretRef }[] = [];
  for (const [alias, provider] of Object.entries(config.providers))
    if ('api_key' in provider && provider.api_key !== undefined)
      found.push({ at: `providers.${alias}.api_key`, ref: provider.api_key });
  for (const [alias, server] of Object.entries(config.mcp.servers)) {
    const [table, entries] =
      server.transport === 'stdio' ? ['env', server.env] : ['headers', server.headers];
    for (const [key, value] of Object.entries(entries))
      if (typeof value !== 'string')
        found.push({ at: `mcp.servers.${alias}.${table}.${key}`, ref: value });
  }
  for (const [kind, channels] of Object.entries(config.channels))
    for (const [alias, channel] of Object.entries<Readonly<Record<string, unknown>>>(channels))
      for (const [key, value] of Object.entries(channel)) {
        const ref = secretRef.safeParse(value);
        if (ref.success) found.push({ at: `channels.${kind}.${alias}.${key}`, ref: ref.data });
      }
  const { connection } = config.store;
  if (connection !== undefined) found.push({ at: 'store.connection', ref: connection });
  return found;
};

/** Reads every secret of a config: values to mask, and what is missing. */
export const readConfigSecrets = (
  config: Config,
  source: SecretSource,
): { readonly known: readonly KnownSecret[]; readonly problems: readonly string[] } => {
  const known: KnownSecret[] = [...passedSecrets(config, source)];
  const problems: string[] = [];
  for (const { at, ref } of secretRefs(config)) {
    const read = readSecret(ref, source);
    if (read.ok) {
      known.push({ name: read.name, value: read.value });
      for (const value of passwordsIn(read.value))
        if (value.length >= shortestSecret) known.push({ name: read.name, value });
    } else problems.push(`${at}: ${read.message}`);
  }
  return { known, problems };
};

/** What the name of a variable says of its value. */
const saysSecret =
  /(?:key|token|secret|password|passwd|passphrase|credential|cookie)s?$|(?:^|_)(?:api_?key|key|token|secret|pass|password|credentials?|dsn)s?(?:_|$)/i;

/** Values that commands are handed and whose names say that they are secret: what prints them must not bring them into the log. */
const passedSecrets = (
  { agents, risk_profiles: profiles }: Config,
  { env }: SecretSource,
): readonly KnownSecret[] => {
  const names = [...Object.values(agents), ...Object.values(profiles)].flatMap(
    ({ shell }) => shell?.env_passthrough ?? [],
  );
  return [...new Set(names)].flatMap((name) => {
    const value = env[name];
    const isSecret = saysSecret.test(name) && value !== undefined && value.length >= shortestSecret;
    return isSecret ? [{ name, value }] : [];
  });
};
