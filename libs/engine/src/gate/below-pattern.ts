import { matchesPattern } from '@lockstep/policy';

/** One segment of a pattern; without a star it is a plain name, which is the usual case. */
export interface SegmentGlob {
  readonly glob: string;
  readonly plain: boolean;
}

/** The segments of a pattern with a leading double star, prepared for many paths. Fits what `matchesBelow` fits. */
export const segmentGlobs = (pattern: string): readonly SegmentGlob[] =>
  pattern
    .replace(/^\*\*\//, '')
    .split('/')
    .map((glob) => ({ glob, plain: !glob.includes('*') }));

/** Whether the segments of a path below a root, or of a folder on the way to it, fit. */
export const matchesSegments = (
  globs: readonly SegmentGlob[],
  segments: readonly string[],
): boolean => {
  for (let start = 0; start + globs.length <= segments.length; start += 1)
    if (globs.every((glob, offset) => fitsOne(glob, segments[start + offset] ?? ''))) return true;
  return false;
};

const fitsOne = ({ glob, plain }: SegmentGlob, segment: string): boolean =>
  segment !== '' && (plain ? glob === segment : matchesPattern(glob, segment));
