/** Why a store could not be opened or read. */
export type StoreErrorCode =
  | 'store_in_use'
  | 'store_newer'
  | 'store_damaged'
  | 'store_read_only'
  | 'store_disk_full'
  | 'store_not_a_log'
  | 'store_unavailable';

/** A store that cannot be opened or read, with what to do next in its message. */
export class StoreError extends Error {
  /** Of the command that meets it: the machine. */
  readonly exitCode = 4;

  constructor(
    readonly code: StoreErrorCode,
    message: string,
    options?: { readonly cause: unknown },
  ) {
    super(message, options);
  }
}

/** What the system says of a path, in SQLite's words. */
const systemCodes: Readonly<Record<string, string>> = {
  EACCES: 'SQLITE_CANTOPEN',
  EPERM: 'SQLITE_CANTOPEN',
  EROFS: 'SQLITE_READONLY',
  ENOENT: 'SQLITE_CANTOPEN',
  ENAMETOOLONG: 'SQLITE_CANTOPEN',
  EISDIR: 'SQLITE_NOTADB',
  ENOSPC: 'SQLITE_FULL',
  EDQUOT: 'SQLITE_FULL',
};

/** Converts what SQLite and the system throw, in one place. Anything else is passed on as it is. */
export const storeError = (error: unknown, path: string): unknown => {
  if (error instanceof StoreError) return error;
  const system = systemCode(error);
  if (system === 'EEXIST' || system === 'ENOTDIR')
    return new StoreError(
      'store_read_only',
      `\`${path}\` is not a folder, move it away or choose another with \`--data\``,
      { cause: error },
    );
  const code = sqliteCode(error) ?? systemCodes[system ?? ''] ?? null;
  if (code === null) return error;
  const cause = { cause: error };
  if (code === 'SQLITE_NOTADB')
    return new StoreError(
      'store_not_a_log',
      `\`${path}\` is no database, move it away or choose another data folder`,
      cause,
    );
  if (code.startsWith('SQLITE_CORRUPT'))
    return new StoreError(
      'store_damaged',
      `\`${path}\` is damaged, run \`lockstep doctor --log\` and restore a backup`,
      cause,
    );
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN'))
    return new StoreError(
      'store_read_only',
      `\`${path}\` cannot be written, check the permissions of its folder`,
      cause,
    );
  if (code === 'SQLITE_FULL')
    return new StoreError(
      'store_disk_full',
      `the disk that holds \`${path}\` is full, free some space`,
      cause,
    );
  return new StoreError(
    'store_unavailable',
    `\`${path}\` cannot be used now (${code}), try again`,
    cause,
  );
};

/** SQLite's own name for an error, or null when it is not SQLite's. */
export const sqliteCode = (error: unknown): string | null => {
  const code = systemCode(error);
  return code?.startsWith('SQLITE_') === true ? code : null;
};

const systemCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
