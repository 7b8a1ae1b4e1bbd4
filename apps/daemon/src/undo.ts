/** Steps that take back what was opened, the newest last. */
export type Undo = ((why: string) => Promise<unknown>)[];

/** Takes everything back, the newest first. A step that fails does not keep the others from their turn; the first failure is
 * thrown at the end. */
export const takeBack = async (undo: Undo, why: string): Promise<void> => {
  const failures: unknown[] = [];
  for (const step of undo.splice(0).reverse()) {
    try {
      await step(why);
    } catch (thrown) {
      failures.push(thrown);
    }
  }
  if (failures.length > 0) throw failures[0];
};
