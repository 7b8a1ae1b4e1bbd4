import type { Clauses } from '@lockstep/policy';

/** Whether a tool pattern covers a canonical id. A star is any run of characters; a bare name means a built-in tool; a lone star
 * is every tool. Written a second time on purpose: monitors share no code with the gate. */
export const toolFits = (pattern: string, id: string): boolean => {
  if (pattern === '*') return true;
  return glob(pattern.includes(':') ? pattern : `builtin:${pattern}`, id);
};

/** Whether any pattern of a deny list covers a canonical id. */
export const toolDenied = (patterns: readonly string[], id: string): boolean =>
  patterns.some((pattern) => toolFits(pattern, id));

/** Whether every clause holds a pattern that covers a canonical id; no clause at all covers nothing. */
export const toolAllowed = (clauses: Clauses, id: string): boolean =>
  clauses.length > 0 && clauses.every((patterns) => toolDenied(patterns, id));

/** Whether every clause holds a pattern that covers an MCP server's own name of a tool (no source in front). */
export const nameAllowed = (clauses: Clauses, name: string): boolean =>
  clauses.length > 0 && clauses.every((patterns) => patterns.some((p) => glob(p, name)));

/** Matches by remembering the last star: on a mismatch that star takes one character more. */
export const glob = (pattern: string, text: string): boolean => {
  let p = 0;
  let t = 0;
  let star = -1;
  let taken = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p;
      taken = t;
      p += 1;
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      p = star + 1;
      taken += 1;
      t = taken;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
};

/** Whether every clause holds a word prefix of a command: a program name, or a program name and further words as they stand. A
 * lone star is every command. */
export const commandAllowed = (clauses: Clauses, argv: readonly string[]): boolean =>
  clauses.length > 0 && clauses.every((prefixes) => prefixes.some((p) => commandFits(p, argv)));

/** Whether a command begins with the words of a prefix. */
export const commandFits = (prefix: string, argv: readonly string[]): boolean => {
  if (prefix === '*') return argv.length > 0;
  const words = prefix.split(/\s+/).filter((word) => word !== '');
  return words.length > 0 && words.every((word, i) => argv[i] === word);
};

/** Where a connection goes: lower-case host (IPv6 without brackets) and port. */
export interface Destination {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
}

/** Whether every clause holds a host pattern that covers the destination. */
export const hostAllowed = (clauses: Clauses, to: Destination): boolean =>
  clauses.length > 0 && clauses.every((patterns) => patterns.some((p) => hostFits(p, to)));

/** `host`, `*.host` (names below it) or `*`, with an optional scheme (https unless written) and port (the scheme's own unless
 * written). A lone star is every host over every scheme and port. */
export const hostFits = (pattern: string, to: Destination): boolean => {
  if (pattern === '*') return true;
  const { scheme, host, port } = hostPattern(pattern);
  if (scheme !== to.scheme || port !== to.port || host === '') return false;
  const name = bare(to.host.toLowerCase());
  if (host === '*') return true;
  if (!host.startsWith('*.')) return host === name;
  return name.endsWith(host.slice(1)) && name.length > host.length - 1;
};

const hostPattern = (pattern: string): Destination => {
  const lower = pattern.toLowerCase();
  const scheme = lower.startsWith('http://') ? 'http' : 'https';
  const rest = lower.replace(/^https?:\/\//, '');
  const close = rest.lastIndexOf(']');
  const colon = rest.indexOf(':', close < 0 ? 0 : close);
  const host = bare(colon < 0 ? rest : rest.slice(0, colon));
  const port = colon < 0 ? (scheme === 'http' ? 80 : 443) : Number(rest.slice(colon + 1));
  return { scheme, host, port };
};

/** Whether one host pattern admits all that another does. */
export const hostCovers = (wide: string, narrow: string): boolean => {
  if (wide === '*' || wide === narrow) return true;
  if (narrow === '*') return false;
  const outer = hostPattern(wide);
  const inner = hostPattern(narrow);
  if (outer.scheme !== inner.scheme || outer.port !== inner.port) return false;
  if (outer.host === '*' || outer.host === inner.host) return true;
  // A star of the narrow pattern stands for names below: they lie below whatever it lies below.
  return outer.host.startsWith('*.') && inner.host.endsWith(outer.host.slice(1));
};

const bare = (host: string): string => host.replace(/^\[/, '').replace(/\]$/, '');
