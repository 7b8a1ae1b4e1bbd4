import { randomUUID } from 'node:crypto';
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Ledger } from '@lockstep/engine';
import type { AccessLog } from './access-log.ts';
import { localTokenName } from './authenticator.ts';

const localFileSchema = z.strictObject({
  url: z.string(),
  token: z.string(),
  pid: z.int(),
  incarnation: z.string(),
  /** Where a person reaches the console; absent without one. */
  console: z.string().optional(),
});
/** How a program of the same user finds the running daemon. */
type LocalFile = z.infer<typeof localFileSchema>;

const pathOf = (data: string): string => join(data, 'local.json');

/** A new local token for this start; those of earlier starts are revoked. */
export const issueLocalToken = async (
  log: AccessLog,
  ledger: Ledger,
): Promise<{ readonly id: string; readonly token: string }> => {
  const old = ledger.tokens().filter((token) => token.name === localTokenName);
  for (const token of old) await log.revoke(token.id, null);
  return log.issue(
    {
      name: localTokenName,
      roles: ['admin'],
      scopes: { agents: ['*'], tools: ['*'] },
      expires: 'never',
    },
    null,
  );
};

/** Replaces the file whole, readable by its owner alone. */
export const writeLocalFile = async (data: string, content: LocalFile): Promise<void> => {
  const draft = `${pathOf(data)}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' });
  await chmod(draft, 0o600);
  await rename(draft, pathOf(data));
};

/** Null when no daemon left one, or it cannot be read. */
const readLocalFile = async (data: string): Promise<LocalFile | null> => {
  try {
    const read = localFileSchema.safeParse(JSON.parse(await readFile(pathOf(data), 'utf8')));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
};

/** Removes the file if it is still this start's. */
export const removeLocalFile = async (data: string, incarnation: string): Promise<void> => {
  const there = await readLocalFile(data);
  if (there?.incarnation === incarnation) await rm(pathOf(data), { force: true });
};
