import { createHmac } from 'node:crypto';
import request, { type Response } from 'supertest';

/** One message as a sender outside would sign it. */
export interface WebhookMessage {
  readonly id: string;
  readonly conversation: string;
  readonly thread?: string;
  readonly sender: string;
  readonly text: string;
}

/** What is off about a request; absent parts are right. */
export interface Off {
  readonly secret?: string;
  /** Seconds since the epoch. */
  readonly timestamp?: number;
  /** Sent in place of what was signed. */
  readonly body?: string;
}

export const macOf = (secret: string, timestamp: number, body: string): string =>
  `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

interface At {
  readonly url: string;
  readonly alias: string;
  readonly secret: string;
}

/** Posts a message to a webhook. */
export const postWebhook = (at: At, message: WebhookMessage, off: Off = {}): Promise<Response> =>
  postSignedBody(at, JSON.stringify(message), off);

/** Posts a body, signed. */
export const postSignedBody = async (at: At, body: string, off: Off = {}): Promise<Response> => {
  const timestamp = off.timestamp ?? nowSeconds();
  return request(at.url)
    .post(`/v1/channels/${at.alias}/webhook`)
    .set('content-type', 'application/json')
    .set('lockstep-timestamp', String(timestamp))
    .set('lockstep-signature', macOf(off.secret ?? at.secret, timestamp, body))
    .send(off.body ?? body);
};

/** Asks for a conversation, signed. */
export const askConversation = async (at: At, conversation: string): Promise<Response> => {
  const path = `/v1/channels/${at.alias}/conversations/${encodeURIComponent(conversation)}`;
  const timestamp = nowSeconds();
  return request(at.url)
    .get(path)
    .set('lockstep-timestamp', String(timestamp))
    .set('lockstep-signature', macOf(at.secret, timestamp, path));
};
