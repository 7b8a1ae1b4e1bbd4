import {
  daemonDownProblem,
  daemonDownStream,
  daemonUrl,
  forwardedHeaders,
} from '../../../lib/daemon.server';

export const dynamic = 'force-dynamic';

const wantsStream = (request: Request): boolean =>
  (request.headers.get('accept') ?? '').includes('text/event-stream');

/** Passes a call on to the daemon, cookie and all. Streams flow through as they come. */
const forward = async (request: Request): Promise<Response> => {
  const from = new URL(request.url);
  const to = new URL(from.pathname + from.search, daemonUrl());
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  let answer: Response;
  try {
    answer = await fetch(to, {
      method: request.method,
      headers: forwardedHeaders(request.headers),
      body: hasBody ? await request.arrayBuffer() : null,
      signal: request.signal,
      cache: 'no-store',
      redirect: 'manual',
    });
  } catch {
    return wantsStream(request) && !hasBody ? daemonDownStream() : daemonDownProblem();
  }
  if (answer.status >= 500 && wantsStream(request) && !hasBody) return daemonDownStream();
  const headers = new Headers(answer.headers);
  for (const name of ['connection', 'content-encoding', 'content-length', 'transfer-encoding'])
    headers.delete(name);
  return new Response(answer.body, { status: answer.status, headers });
};

export { forward as DELETE, forward as GET, forward as POST, forward as PUT };
