import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds since the epoch at which the message was signed. */
export const timestampHeader = 'lockstep-timestamp';
/** `v1=` and the HMAC-SHA256, in hex, of the time stamp, a dot, and the bytes of the body. */
export const signatureHeader = 'lockstep-signature';

export interface Signed {
  readonly timestamp: string;
  readonly signature: string;
}

/** Signs what goes out, and what a sender sends in. */
export const sign = (secret: string, body: string | Buffer, nowMs: number): Signed => {
  const timestamp = String(Math.floor(nowMs / 1000));
  return { timestamp, signature: `v1=${macOf(secret, timestamp, body).toString('hex')}` };
};

/** What is wrong with a signature; null = nothing. The time stamp is looked at only when the signature holds, so that nobody without the
 * key finds out how late it may be. */
export const signatureProblem = (
  signed: { readonly [K in keyof Signed]: Signed[K] | undefined },
  body: string | Buffer,
  by: { readonly secret: string; readonly windowMs: number; readonly nowMs: number },
): 'missing' | 'wrong' | 'late' | null => {
  const { timestamp, signature } = signed;
  if (timestamp === undefined || signature === undefined) return 'missing';
  const [, hex] = /^v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (!/^\d{1,12}$/.test(timestamp) || hex === undefined) return 'wrong';
  const mac = macOf(by.secret, timestamp, body);
  if (!timingSafeEqual(mac, Buffer.from(hex, 'hex'))) return 'wrong';
  return Math.abs(by.nowMs - Number(timestamp) * 1000) <= by.windowMs ? null : 'late';
};

const macOf = (secret: string, timestamp: string, body: string | Buffer): Buffer =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
