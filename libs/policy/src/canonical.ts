import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';

/** RFC 8785 canonical JSON. Validate first: values that are no JSON are dropped or refused by the writer.
 * @throws when the value holds NaN, an infinity, a lone surrogate or a cycle */
export const canonicalJson = (value: unknown): string => {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('only JSON values have a canonical form');
  return text;
};

/** Lower-case hex SHA-256 of the UTF-8 bytes of a text. */
export const digestOfText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/** Lower-case hex SHA-256 of the canonical JSON of a value. */
export const digestOf = (value: unknown): string => digestOfText(canonicalJson(value));
