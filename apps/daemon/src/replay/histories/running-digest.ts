import { createHash } from 'node:crypto';
import type { RunningDigest } from '@lockstep/engine';

/** A SHA-256 over texts as UTF-8, in memory that does not grow. */
export const runningDigest = (): RunningDigest => {
  const hash = createHash('sha256');
  return {
    add: (text) => {
      hash.update(text);
    },
    hex: () => hash.digest('hex'),
  };
};
