import { z } from 'zod';

/** Every code that an answer may carry, with its status and title. Codes are stable: programs branch on them. */
export const problemCodes = {
  invalid_body: [400, 'the request is not valid'],
  invalid_config: [400, 'the config has problems'],
  unauthenticated: [401, 'a valid token or session is needed'],
  forbidden: [403, 'this is not permitted'],
  not_found: [404, 'there is no such thing'],
  agent_unavailable: [404, 'the agent is not available'],
  already_decided: [409, 'somebody decided before'],
  stale_revision: [409, 'the request has changed since it was shown'],
  busy: [409, 'it still works'],
  already_ended: [409, 'it has ended before'],
  name_taken: [409, 'the name is in use'],
  config_changed: [412, 'the config has changed since it was read'],
  too_large: [413, 'the body is too large'],
  unsupported_media_type: [415, 'send application/json'],
  idempotency_key_reused: [422, 'the key was used with another body'],
  upgrade_required: [426, 'this address speaks WebSocket'],
  precondition_required: [428, 'a precondition is needed'],
  rate_limited: [429, 'too many requests'],
  internal: [500, 'something went wrong here'],
  stopped: [503, 'no new work is taken now'],
  disk_full: [503, 'the log takes no writes now'],
  read_only: [503, 'the log is read-only'],
} as const satisfies Record<string, readonly [number, string]>;
export type ProblemCode = keyof typeof problemCodes;

const codes = Object.keys(problemCodes) as [ProblemCode, ...ProblemCode[]];

export const fieldErrorSchema = z.strictObject({
  /** Where in the body, query, header or config. */
  path: z.string(),
  message: z.string(),
  line: z.int().nullable().optional(),
  column: z.int().nullable().optional(),
});
export type FieldError = z.infer<typeof fieldErrorSchema>;

/** An RFC 9457 problem document. */
export const problemSchema = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(codes),
    errors: z.array(fieldErrorSchema).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problemSchema>;

/** An outcome that is answered as a problem document. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      readonly errors?: readonly FieldError[];
      /** Further members of the document. */
      readonly fields?: Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = more.errors ?? [];
    this.fields = more.fields ?? {};
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return problemCodes[this.code][0];
  }

  document(): Problem {
    const [status, title] = problemCodes[this.code];
    return {
      type: `urn:lockstep:problem:${this.code}`,
      title,
      status,
      detail: this.message,
      code: this.code,
      ...(this.errors.length === 0 ? {} : { errors: [...this.errors] }),
      ...this.fields,
    };
  }
}

export const notFound = (what: string, id: string): ProblemError =>
  new ProblemError('not_found', `there is no ${what} \`${id}\``);
