import { canonicalJson, digestOfText } from '../canonical.ts';
import { configSchema, type Config } from './config.schema.ts';
import { isTable } from './document.ts';

/** A config as it is recorded: canonical JSON with every default filled in and secrets as references, and the SHA-256 of it. */
export const readableConfig = (
  config: Config,
): { readonly text: string; readonly digest: string } => {
  const text = canonicalJson(config);
  return { text, digest: digestOfText(text) };
};

export type StoredConfig =
  { readonly ok: true; readonly config: Config } | { readonly ok: false; readonly message: string };

/** Reads back what `readableConfig` wrote. Settings that came later than the text keep their defaults; an unknown key is refused. */
export const parseStoredConfig = (text: string): StoredConfig => {
  const value = parsed(text);
  if (!isTable(value)) return { ok: false, message: 'the recorded config is no JSON table' };
  const config = configSchema.safeParse(value);
  if (config.success) return { ok: true, config: config.data };
  const paths = config.error.issues.map((issue) => `\`${issue.path.map(String).join('.')}\``);
  return {
    ok: false,
    message: `the recorded config does not fit this build at ${paths.join(', ')}`,
  };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
