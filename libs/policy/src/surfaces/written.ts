import type { z } from 'zod';
import type { patternList, usdLimit } from '../config/values.schema.ts';
import { normalizeHostPattern } from '../host-patterns.ts';
import { normalizeToolPattern } from '../patterns.ts';
import { absolutePath, normalPath } from '../paths.ts';
import type { Clauses, Limit } from '../snapshot.ts';
import type { Place } from './setting.ts';

type PatternList = z.infer<typeof patternList>;

/** Allow patterns as written: `"*"` is all, `[]` is none. */
export const clausesOf = (written: PatternList): Clauses =>
  written === '*' ? [['*']] : [[...written]];

/** Allow patterns on canonical tool ids; a bare name is a built-in tool. */
export const toolClausesOf = (written: PatternList): Clauses =>
  clausesOf(written).map((clause) => clause.map(normalizeToolPattern));

/** Allow patterns on hosts, each in its one spelling. */
export const hostClausesOf = (written: PatternList): Clauses =>
  clausesOf(written).map((clause) => clause.map(normalizeHostPattern));

/** A plain list of patterns on canonical tool ids. */
export const toolPatternsOf = (written: PatternList): string[] =>
  written === '*' ? ['*'] : written.map(normalizeToolPattern);

/** Decimal dollars to whole micro-dollars. */
export const microDollarsOf = (written: z.infer<typeof usdLimit>): Limit =>
  written === 'unlimited' ? written : Math.round(written * 1_000_000);

/** An absolute path: `~` is the home folder, a relative path starts at the config file's folder. */
export const pathOf = (place: Place, written: string): string =>
  absolutePath(place.host.base, place.host.home, written);

/** A forbidden path: a pattern that holds below every root, or an absolute path. */
export const forbiddenOf = (place: Place, written: string): string =>
  written.startsWith('**/') ? written : pathOf(place, written);

/** Two absolute parts joined. */
export const below = (folder: string, name: string): string => normalPath(`${folder}/${name}`);
