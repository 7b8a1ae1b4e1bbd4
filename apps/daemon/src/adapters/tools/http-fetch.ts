import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import type { Touched } from '@lockstep/engine';
import { textArg } from './file-call.ts';
import { hostOf, portOf, type UrlOperand } from './inspect-url.ts';
import { ToolFailure, ToolSays, type ToolDone } from './tool-failure.ts';

export interface FetchCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly operand: UrlOperand;
  readonly signal: AbortSignal;
  readonly touched: Touched[];
}

const largestBody = 2 * 1024 * 1024;
const largestHead = 32 * 1024;

/** Headers that belong to the connection, not to the caller. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept-encoding|proxy-.*)$/i;

/** `http_fetch`: one request on a connection to a judged address. A redirect is the result; proxy variables are not read. */
export const httpFetchTool = async (call: FetchCall): Promise<ToolDone> => {
  const url = new URL(textArg(call.args, 'url'));
  const { operand } = call;
  if (hostOf(url) !== operand.host || portOf(url) !== operand.port)
    throw new ToolFailure('protocol', 'a secret cannot stand in the host of an address');
  const headers = headersOf(call.args['headers']);
  const body = typeof call.args['body'] === 'string' ? call.args['body'] : null;
  if (body !== null && bodiless(operand.method))
    throw new ToolSays(`a ${operand.method} request carries no body`);
  const { response, sent } = await send(call, url, headers, body);
  const read = await bodyOf(response, operand.method, sent);
  return { text: [headOf(response), read].join('\n\n').toWellFormed() };
};

const bodiless = (method: string): boolean => method === 'GET' || method === 'HEAD';

const headersOf = (given: unknown): Record<string, string> => {
  const headers: Record<string, string> = {};
  if (typeof given !== 'object' || given === null) return headers;
  for (const [name, value] of Object.entries(given)) {
    if (ownHeaders.test(name)) throw new ToolSays(`the header \`${name}\` cannot be set`);
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new ToolSays(`the header \`${name}\` has a value that cannot be sent`);
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      throw new ToolSays(`\`${name}\` is no name of a header`);
    headers[name] = value;
  }
  return headers;
};

interface Sent {
  readonly response: IncomingMessage;
  /** What it means when the connection breaks from here on. */
  readonly sent: (error: unknown) => ToolFailure;
}

const send = (
  { operand, signal, touched }: FetchCall,
  url: URL,
  headers: Record<string, string>,
  body: string | null,
): Promise<Sent> =>
  new Promise((done, fail) => {
    let connected = false;
    const broken = (error: unknown): ToolFailure => {
      const why = error instanceof Error ? error.message : String(error);
      if (signal.aborted) return new ToolFailure('unavailable', 'the call was cancelled');
      return connected && !bodiless(operand.method)
        ? new ToolFailure('unknown', `the connection broke after the request was sent: ${why}`)
        : new ToolFailure('io', `\`${operand.host}\` could not be asked: ${why}`);
    };
    const request: ClientRequest = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: operand.method,
      agent: false,
      lookup: pinned(operand),
      maxHeaderSize: largestHead,
      signal,
      headers: {
        'user-agent': 'lockstep',
        accept: '*/*',
        ...headers,
        'accept-encoding': 'identity',
        ...(body === null ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    });
    request.on('socket', (socket) => {
      socket.once('connect', () => {
        connected = true;
        touched.push({
          kind: 'connected',
          host: operand.host,
          port: operand.port,
          address: socket.remoteAddress ?? '',
          scheme: operand.scheme,
        });
      });
    });
    request.on('error', (error) => {
      fail(broken(error));
    });
    request.on('response', (response) => {
      done({ response, sent: broken });
    });
    request.end(body ?? undefined);
  });

/** Answers with the judged addresses whatever the name resolves to by now. */
const pinned =
  (operand: UrlOperand): LookupFunction =>
  (_host, options, answer) => {
    const judged = operand.addresses.map(({ address }) => ({ address, family: isIP(address) }));
    const [first] = judged;
    if (first === undefined) answer(new Error('no judged address'), '', 4);
    else if (options.all === true) answer(null, judged);
    else answer(null, first.address, first.family);
  };

const headOf = (response: IncomingMessage): string => {
  const shown = ['content-type', 'location', 'retry-after', 'etag', 'last-modified', 'link'];
  const lines = shown.flatMap((name) => {
    const value = response.headers[name];
    return typeof value === 'string' ? [`${name}: ${value}`] : [];
  });
  return [`HTTP ${response.statusCode ?? 0} ${response.statusMessage ?? ''}`.trim(), ...lines].join(
    '\n',
  );
};

const bodyOf = async (
  response: IncomingMessage,
  method: string,
  sent: Sent['sent'],
): Promise<string> => {
  if (method === 'HEAD') return '';
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size > largestBody) break;
    }
  } catch (error) {
    throw sent(error);
  }
  response.destroy();
  const bytes = Buffer.concat(parts).subarray(0, largestBody);
  const note = size > largestBody ? `\n[cut after ${largestBody} bytes]` : '';
  const text = new TextDecoder('utf-8').decode(bytes, { stream: size > largestBody });
  const strange = text.match(/[\0\ufffd]/g)?.length ?? 0;
  return strange * 20 > text.length && strange > 0
    ? `[${bytes.length} bytes that are no text]${note}`
    : `${text}${note}`;
};
