import type { EventOf } from '../events/event.ts';
import type { ToolSpec } from '../events/parts.ts';
import type { ModelInput } from '../ports/model.ts';

const key: unique symbol = Symbol('started');

class Tool {
  readonly #started = true;
  readonly event: EventOf<'ToolCallStarted'>;
  readonly spec: ToolSpec;
  readonly args: unknown;
  constructor(k: typeof key, event: EventOf<'ToolCallStarted'>, spec: ToolSpec, args: unknown) {
    if (k !== key) throw new TypeError('a started call is minted only from an acknowledged intent');
    this.event = event;
    this.spec = spec;
    this.args = args;
    Object.freeze(this);
  }
  static is(x: unknown): x is Tool {
    return typeof x === 'object' && x !== null && #started in x;
  }
}

class Model {
  readonly #started = true;
  readonly event: EventOf<'ModelCallStarted'>;
  readonly input: ModelInput;
  constructor(k: typeof key, event: EventOf<'ModelCallStarted'>, input: ModelInput) {
    if (k !== key) throw new TypeError('a started call is minted only from an acknowledged intent');
    this.event = event;
    this.input = input;
    Object.freeze(this);
  }
  static is(x: unknown): x is Model {
    return typeof x === 'object' && x !== null && #started in x;
  }
}

/** Proof that an intent is durable: effect ports take nothing else, so an unrecorded effect does not compile. */
export type { Tool as StartedToolCall, Model as StartedModelCall };

/** Events that a store acknowledged. Only an append's result has this shape. */
export type Acknowledged<E> = E & { readonly position: string; readonly revision: number };

/** Mints the proof for a tool call from its acknowledged ToolCallStarted.
 * @throws TypeError when the event is none, or belongs to another tool than the spec (a bug of the caller) */
export const startedToolCall = (
  event: EventOf<'ToolCallStarted'>,
  spec: ToolSpec,
  args: unknown,
): Tool => {
  if (event.position.length !== 20)
    throw new TypeError('the intent of this tool call is not in the log');
  if (event.data.tool !== spec.id) throw new TypeError('the intent names another tool');
  return new Tool(key, event, spec, args);
};

/** Mints the proof for a model call from its acknowledged ModelCallStarted. */
export const startedModelCall = (event: EventOf<'ModelCallStarted'>, input: ModelInput): Model => {
  if (event.position.length !== 20)
    throw new TypeError('the intent of this model call is not in the log');
  return new Model(key, event, input);
};

export const isStartedToolCall = (x: unknown): x is Tool => Tool.is(x);
export const isStartedModelCall = (x: unknown): x is Model => Model.is(x);
