import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { SecretRef } from '@lockstep/policy';

/** Where references are looked up: the environment, and the folder that relative file references start at. */
export interface SecretSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly base: string;
}

export type SecretValue =
  | { readonly ok: true; readonly name: string; readonly value: string }
  | { readonly ok: false; readonly name: string; readonly message: string };

/** Shorter values would turn up by chance in ordinary text, so they cannot be masked. */
export const shortestSecret = 4;

const largestFile = 64 * 1024;

/** The name that a placeholder shows: the variable, or the file's own name. */
export const secretName = (ref: SecretRef): string =>
  'env' in ref ? ref.env : basename(ref.file).replaceAll(/[«»\s]/g, '_');

/** Reads the value now: a rotated key counts from the next use. Messages name the reference, never the value. */
export const readSecret = (ref: SecretRef, source: SecretSource): SecretValue => {
  const name = secretName(ref);
  const where = 'env' in ref ? `environment variable \`${ref.env}\`` : `file \`${ref.file}\``;
  const value = 'env' in ref ? source.env[ref.env] : fileText(resolve(source.base, ref.file));
  if (value === undefined || value === '')
    return { ok: false, name, message: `the secret in ${where} is missing or empty` };
  if (value.length < shortestSecret)
    return {
      ok: false,
      name,
      message: `the secret in ${where} is shorter than ${shortestSecret} characters and cannot be masked`,
    };
  return { ok: true, name, value };
};

const fileText = (path: string): string | undefined => {
  try {
    const text = readFileSync(path, 'utf8');
    return text.length > largestFile ? undefined : text.replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
};
