/** The row after which a page goes on. */
export interface CursorPlace {
  readonly key: string;
  readonly sort: string | number | null;
}

/** A cursor that was not made by this list. */
export class CursorError extends Error {
  readonly code = 'bad_cursor';
}

/** Opaque to callers: they pass it back as it is. */
export const cursorOf = (orderBy: string, { key, sort }: CursorPlace): string =>
  Buffer.from(JSON.stringify([orderBy, sort, key])).toString('base64url');

/** @throws CursorError when the text is no cursor of a list in this order */
export const readCursor = (cursor: string, orderBy: string): CursorPlace => {
  const parts = decode(cursor);
  if (Array.isArray(parts) && parts.length === 3) {
    const [order, sort, key] = parts as readonly unknown[];
    const sortable = sort === null || typeof sort === 'string' || typeof sort === 'number';
    if (order === orderBy && sortable && typeof key === 'string') return { key, sort };
  }
  throw new CursorError(`\`${cursor}\` is no cursor of this list, start again without one`);
};

const decode = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
};
