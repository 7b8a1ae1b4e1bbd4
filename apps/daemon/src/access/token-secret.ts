import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a token's text starts with, so that a leaked one can be found by a search. */
export const tokenPrefix = 'lks_';

/** A new secret of 256 random bits, safe in URLs and headers. */
export const mintSecret = (): string => randomBytes(32).toString('base64url');
export const mintToken = (): string => tokenPrefix + mintSecret();

/** Lower-case hex SHA-256: all that is kept of a secret. */
export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret, 'utf8').digest('hex');

/** Compares in a time that does not depend on where two texts differ. */
export const sameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(hashSecret(one), 'hex'), Buffer.from(hashSecret(other), 'hex'));
