import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Sent } from '../channel.port.ts';
import { sign, signatureHeader, timestampHeader } from './webhook-signature.ts';

const timeoutMs = 15_000;

/** Posts a signed body on a connection of its own. A redirect is not followed: the body goes where config says and nowhere else. */
export const postSigned = (
  url: string,
  body: string,
  by: { readonly secret: string; readonly nowMs: number; readonly id: string },
): Promise<Sent> =>
  new Promise((done) => {
    const { timestamp, signature } = sign(by.secret, body, by.nowMs);
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const failed = (why: string): void => {
      done({ ok: false, why, final: false, retryAfterMs: null });
    };
    const request = send(url, {
      method: 'POST',
      agent: false,
      timeout: timeoutMs,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'lockstep',
        'idempotency-key': by.id,
        [timestampHeader]: timestamp,
        [signatureHeader]: signature,
      },
    });
    request.on('error', (error) => {
      failed(`the receiver could not be reached: ${error.message}`);
    });
    request.on('timeout', () => {
      request.destroy(new Error('it did not answer in time'));
    });
    request.on('response', (response) => {
      // What it says is of no use to us.
      response.resume();
      done(outcome(response.statusCode ?? 0, response.headers['retry-after']));
    });
    request.end(body);
  });

const outcome = (status: number, retryAfter: string | undefined): Sent => {
  if (status >= 200 && status < 300) return { ok: true, receipt: String(status) };
  const again = status === 408 || status === 429 || status >= 500;
  const seconds = Number(retryAfter);
  return {
    ok: false,
    why: `the receiver answered ${status}`,
    final: !again,
    retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 3600) * 1000 : null,
  };
};
