import type { z } from 'zod';
import type { Answered, JsonRpcConnection } from './json-rpc-connection.ts';
import {
  answerParams,
  cancelParams,
  decideParams,
  helloParams,
  listParams,
  startParams,
  steerParams,
  turnParams,
} from './json-rpc.schema.ts';
import { ParamsError } from './rpc-refusal.ts';

type Method = (params: unknown, connection: JsonRpcConnection) => Promise<Answered>;

/** A method of the socket: parameters by name, checked before anything happens. */
const method =
  <T>(
    schema: z.ZodType<T>,
    run: (params: T, connection: JsonRpcConnection) => Promise<Answered>,
  ): Method =>
  (params, connection) => {
    const read = schema.safeParse(params ?? {});
    if (!read.success) throw new ParamsError(read.error.issues);
    return run(read.data, connection);
  };

const now = async (result: Promise<unknown>): Promise<Answered> => ({
  kind: 'now',
  result: await result,
});

/** Everything that a client of the socket can ask for. */
export const methods = {
  initialize: method(helloParams, (params, connection) => connection.initialize(params)),
  'turns.start': method(startParams, (params, connection) => connection.start(params)),
  'turns.get': method(turnParams, ({ turn }, { desk }) => now(desk.turn(turn))),
  'turns.cancel': method(cancelParams, ({ turn, why }, { desk }) => now(desk.cancel(turn, why))),
  'turns.steer': method(steerParams, ({ turn, text }, { desk }) => now(desk.steer(turn, text))),
  'approvals.list': method(listParams, (query, { desk }) => now(desk.approvals(query))),
  'approvals.decide': method(decideParams, ({ approval, decision }, { desk }) =>
    now(desk.decide(approval, decision)),
  ),
  'questions.answer': method(answerParams, ({ question, answer }, { desk }) =>
    now(desk.answer(question, answer)),
  ),
} as const satisfies Record<string, Method>;
export type MethodName = keyof typeof methods;
