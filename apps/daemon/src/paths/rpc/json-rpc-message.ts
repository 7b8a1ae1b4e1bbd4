import { isUtf8 } from 'node:buffer';
import { z } from 'zod';

/** Error codes of JSON-RPC 2.0, and the one under which our own refusals go: their stable code stands in `data.code`. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  refused: -32000,
} as const;

/** An id of a request, as the client chose it. */
export type RpcId = string | number | null;

/** A request, or a notification when its id is absent. */
export interface RpcRequest {
  /** Absent = nobody wants an answer. */
  readonly id?: RpcId;
  readonly method: string;
  readonly params: unknown;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type ReadLine =
  | { readonly ok: true; readonly request: RpcRequest }
  | { readonly ok: false; readonly id: RpcId; readonly error: RpcError };

const idSchema = z.union([z.string().max(200), z.number(), z.null()]);

const requestSchema = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: idSchema.optional(),
  method: z.string().max(200),
  params: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
});

/** Reads one line; whatever is wrong with it is a JSON-RPC error. Answers null for a blank line. */
export const readLine = (bytes: Buffer): ReadLine | null => {
  if (!isUtf8(bytes)) return bad(null, rpcCodes.parse, 'the line is not UTF-8');
  const text = bytes.toString('utf8').trim();
  if (text === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return bad(null, rpcCodes.parse, 'the line is no JSON: send one message per line');
  }
  if (Array.isArray(value))
    return bad(null, rpcCodes.invalidRequest, 'batches are not taken: send one message per line');
  const read = requestSchema.safeParse(value);
  if (!read.success)
    return bad(idIn(value), rpcCodes.invalidRequest, 'this is no request of JSON-RPC 2.0');
  const { id, method, params } = read.data;
  return { ok: true, request: { ...(id === undefined ? {} : { id }), method, params } };
};

/** The wire form of a request: reading it gives the same request. */
export const requestLine = ({ id, method, params }: RpcRequest): string =>
  line({
    jsonrpc: '2.0',
    ...(id === undefined ? {} : { id }),
    method,
    ...(params === undefined ? {} : { params }),
  });

export const resultLine = (id: RpcId, result: unknown): string =>
  line({ jsonrpc: '2.0', id, result });

export const errorLine = (id: RpcId, error: RpcError): string =>
  line({ jsonrpc: '2.0', id, error });

export const notificationLine = (method: string, params: unknown): string =>
  line({ jsonrpc: '2.0', method, params });

/** JSON text has no line breaks of its own. */
const line = (message: unknown): string => `${JSON.stringify(message)}\n`;

const bad = (id: RpcId, code: number, message: string): ReadLine => ({
  ok: false,
  id,
  error: { code, message },
});

/** The id of a message that is no request, where it has one, so that its sender knows which was meant. */
const idIn = (value: unknown): RpcId => {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null;
  const read = idSchema.safeParse(value.id);
  return read.success ? read.data : null;
};
