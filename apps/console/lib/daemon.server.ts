/** Where the daemon answers, from the environment at run time. */
export const daemonUrl = (): string => process.env['LOCKSTEP_URL'] ?? 'http://127.0.0.1:7420';

const hopByHop = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'accept-encoding',
]);

/** Request headers that go on to the daemon. */
export const forwardedHeaders = (headers: Headers): Headers => {
  const kept = new Headers();
  headers.forEach((value, name) => {
    if (!hopByHop.has(name)) kept.set(name, value);
  });
  return kept;
};

/** An error status would end a browser's EventSource for good: a stream answers 200 and says that the daemon is down. */
export const daemonDownStream = (): Response =>
  new Response('retry: 1000\nevent: daemon-down\ndata: {}\n\n', {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' },
  });

export const daemonDownProblem = (): Response =>
  new Response(
    JSON.stringify({
      type: 'about:blank',
      title: 'The daemon does not answer',
      status: 502,
      code: 'daemon_down',
      detail: 'the daemon does not answer, start it with `lockstep up`',
    }),
    { status: 502, headers: { 'content-type': 'application/problem+json' } },
  );
