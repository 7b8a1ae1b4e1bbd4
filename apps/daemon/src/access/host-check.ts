const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Whether an address to bind is reachable from this machine alone. */
export const isLoopback = (host: string): boolean =>
  loopbackNames.has(host.toLowerCase()) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

const hostnameOf = (hostHeader: string): string | null => {
  try {
    return new URL(`http://${hostHeader}`).hostname.toLowerCase();
  } catch {
    return null;
  }
};

const isKnown = (name: string, extra: readonly string[]): boolean =>
  isLoopback(name) || extra.some((allowed) => allowed.toLowerCase() === name);

/** Refuses names that a foreign page may have pointed at this address (DNS rebinding). Null = fine, else what is wrong. */
export const hostProblem = (
  headers: { readonly host: string | undefined; readonly origin: string | undefined },
  extra: readonly string[],
): string | null => {
  const host = headers.host === undefined ? null : hostnameOf(headers.host);
  if (host === null || !isKnown(host, extra))
    return `the Host \`${headers.host ?? ''}\` is not served here: use a loopback address or add it to \`gateway.hosts\``;
  if (headers.origin === undefined) return null;
  let origin: URL;
  try {
    origin = new URL(headers.origin);
  } catch {
    return `the Origin \`${headers.origin}\` is not allowed`;
  }
  return isKnown(origin.hostname.toLowerCase(), extra)
    ? null
    : `the Origin \`${headers.origin}\` is not allowed: add its host to \`gateway.hosts\``;
};
