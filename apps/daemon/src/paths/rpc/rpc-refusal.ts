import type { z } from 'zod';

/** Parameters that do not fit. */
export class ParamsError extends Error {
  readonly issues: readonly { readonly path: string; readonly message: string }[];

  constructor(issues: readonly z.core.$ZodIssue[]) {
    super('the parameters do not fit the method');
    this.issues = issues.map(({ path, message }) => ({
      path: path.map(String).join('.'),
      message,
    }));
  }
}

/** A refusal that JSON-RPC has a code for. */
export class RpcRefusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
