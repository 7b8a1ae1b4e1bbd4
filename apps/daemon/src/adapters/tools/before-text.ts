import type { Operand } from '@lockstep/engine';
import { contentOf, digestOfBytes, holdFileAt, textOf } from './file-content.ts';

const largestShown = 256 * 1024;

/** Old text of the file that a call writes, for the view of an approval; null when there is none to show. */
export const beforeOf = async (operands: readonly Operand[]): Promise<string | null> => {
  const written = operands.find((o) => o.kind === 'path' && o.access !== 'read');
  if (written?.kind !== 'path' || written.real === null || written.content === null) return null;
  try {
    const file = holdFileAt(written.real);
    try {
      if (file.stats.size > largestShown) return null;
      const bytes = await contentOf(file);
      // Shown must be what the binding is over.
      return digestOfBytes(bytes) === written.content ? textOf(bytes, written.given) : null;
    } finally {
      file.close();
    }
  } catch {
    return null;
  }
};
