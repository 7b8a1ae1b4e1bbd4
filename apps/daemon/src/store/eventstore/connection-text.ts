import { StoreError } from '../store-error.ts';

/** A connection to a server or cluster, checked before the client sees it. */
export interface Connection {
  /** For the client alone: it may hold a password. */
  readonly text: string;
  /** For people: the hosts, without credentials and options. */
  readonly where: string;
}

/** Options that the client acts on, in the case-free form in which it compares them. */
const known = new Set(
  [
    ['tls', 'tlsCAFile', 'userCertFile', 'userKeyFile', 'connectionName', 'defaultDeadline'],
    ['maxDiscoverAttempts', 'discoveryInterval', 'gossipTimeout', 'nodePreference'],
    ['keepAliveInterval', 'keepAliveTimeout'],
  ]
    .flat()
    .map((option) => flat(option)),
);

const form = /^(esdb(?:\+discover)?):\/\/(?:([^:@/?]+:[^@/?]*)@)?([^@/?]+)\/?(\?[^?]*)?$/;

/** Reads a connection string. The client prints a whole string with its password for some mistakes, so those are refused here.
 * @throws StoreError that names no credential */
export const readConnection = (text: string, from: string): Connection => {
  const match = form.exec(text.trim());
  const [, scheme, , hosts, query = ''] = match ?? [];
  if (scheme === undefined || hosts === undefined)
    throw refusal(
      `${from} holds no connection string, write \`esdb://host:2113\` or \`esdb+discover://host:2113\`, credentials before the host`,
    );
  for (const pair of query.slice(1).split('&').filter(Boolean)) {
    const [option = '', value = ''] = pair.split('=');
    if (!known.has(flat(option)))
      throw refusal(`${from} has an option \`${option}\` that does not act here, leave it out`);
    if (value === '') throw refusal(`${from} has the option \`${option}\` without a value`);
  }
  return { text: text.trim(), where: `${scheme}://${hosts}` };
};

/** The password in a connection string, as it is written and as it is meant; none when there is none. */
export const passwordsIn = (text: string): readonly string[] => {
  const password = form.exec(text.trim())?.[2]?.split(':')[1];
  if (password === undefined || password === '') return [];
  return [...new Set([password, decoded(password)])];
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const refusal = (message: string): StoreError => new StoreError('store_unavailable', message);

function flat(option: string): string {
  return option.trim().toLowerCase().replace(/[_-]/g, '');
}
