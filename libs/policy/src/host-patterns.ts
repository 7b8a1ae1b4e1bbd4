import { clauseMatch, type ClauseMatch } from './patterns.ts';
import type { Clauses } from './snapshot.ts';

/** Where a connection goes, as a URL parser gives it: host in lower case (IPv6 without brackets), port as a number. */
export interface HostTarget {
  readonly scheme: 'https' | 'http';
  readonly host: string;
  readonly port: number;
}

export interface HostPattern {
  readonly scheme: 'https' | 'http';
  /** A name or address, `*.name` for any name below it, or `*`. Lower case. */
  readonly host: string;
  readonly port: number;
}

const defaultPort = { https: 443, http: 80 } as const;
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const form = /^(?:(https?):\/\/)?(\[[0-9a-f:.]+\]|[^\s:/[\]]+)(?::([0-9]{1,5}))?$/;

/** Reads `[http://|https://]host[:port]`; https and the scheme's own port unless written. Null when it is no such pattern. */
export const parseHostPattern = (pattern: string): HostPattern | null => {
  const found = form.exec(pattern.toLowerCase());
  if (found === null) return null;
  const scheme = found[1] === 'http' ? 'http' : 'https';
  const host = (found[2] ?? '').replace(/^\[|\]$/g, '');
  const port = found[3] === undefined ? defaultPort[scheme] : Number(found[3]);
  if (port < 1 || port > 65_535 || !isHost(host)) return null;
  return { scheme, host, port };
};

/** One spelling for equal patterns: lower case, no `https://`, no port that the scheme implies. Unreadable ones stay as they are. */
export const normalizeHostPattern = (pattern: string): string => {
  const parsed = parseHostPattern(pattern);
  if (pattern === '*' || parsed === null) return pattern;
  const host = parsed.host.includes(':') ? `[${parsed.host}]` : parsed.host;
  const scheme = parsed.scheme === 'http' ? 'http://' : '';
  const port = parsed.port === defaultPort[parsed.scheme] ? '' : `:${parsed.port}`;
  const written = `${scheme}${host}${port}`;
  // INVARIANT: a lone star means every scheme and port, so any host over https keeps its scheme.
  return written === '*' ? 'https://*' : written;
};

/** Whether a connection fits a host pattern: a lone `*` is every host, scheme and port; `*.name` is every name below `name`, not
 * the name itself. A pattern that cannot be read fits nothing. */
export const matchesHost = (pattern: string, target: HostTarget): boolean => {
  if (pattern === '*') return true;
  const parsed = parseHostPattern(pattern);
  if (parsed === null) return false;
  if (parsed.scheme !== target.scheme || parsed.port !== target.port) return false;
  const host = target.host.toLowerCase().replace(/^\[|\]$/g, '');
  if (parsed.host === '*') return true;
  if (!parsed.host.startsWith('*.')) return host === parsed.host;
  const below = parsed.host.slice(1);
  return host.endsWith(below) && host.length > below.length;
};

/** *All of* the clauses, each *any of* its host patterns. */
export const matchesHostClauses = (clauses: Clauses, target: HostTarget): ClauseMatch =>
  clauseMatch(
    clauses.map(
      (patterns) =>
        patterns
          .filter((pattern) => matchesHost(pattern, target))
          .sort((a, b) => b.length - a.length)[0] ?? null,
    ),
  );

const isHost = (host: string): boolean => {
  if (host === '*') return true;
  if (host.includes(':')) return /^[0-9a-f:.]{2,45}$/.test(host) && host.split(':').length > 2;
  const name = host.startsWith('*.') ? host.slice(2) : host;
  const labels = name.split('.');
  if (name.length > 253 || !labels.every((part) => label.test(part))) return false;
  if (!/^[0-9]+$/.test(labels.at(-1) ?? '')) return true;
  // A name that ends in a number is an address, and there is nothing below an address.
  return name === host && labels.length === 4 && labels.every(isOctet);
};

const isOctet = (part: string): boolean => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256;
