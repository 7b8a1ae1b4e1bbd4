/** Asks again until there is an answer that is not null; fails with what was waited for. */
export const eventually = async <T>(
  what: string,
  ask: () => Promise<T | null> | T | null,
  withinMs = 30_000,
): Promise<T> => {
  const until = Date.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found !== null) return found;
    if (Date.now() > until) throw new Error(`waited in vain for ${what}`);
    await new Promise((next) => setTimeout(next, 15));
  }
};
