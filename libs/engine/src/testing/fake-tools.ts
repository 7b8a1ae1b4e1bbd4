import type { Operand, ToolSpec } from '../events/parts.ts';
import type { ToolOutcome, ToolPort } from '../ports/tools.ts';
import { operandPointers } from '../tools/operand-pointers.ts';
import { isStartedToolCall } from '../turn/started.ts';

/** What a fake tool was handed. */
export interface ToolRun {
  readonly tool: string;
  readonly call: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly args: unknown;
}

export interface FakeTools extends ToolPort {
  readonly runs: readonly ToolRun[];
}

/** Tools that do nothing but answer by a function. Paths are their own real paths below `root`, names resolve to 192.0.2.1. A promise
 * that does not settle is a tool that hangs. */
export const fakeTools = (
  specs: readonly ToolSpec[],
  options: {
    readonly root: string;
    readonly run: (run: ToolRun) => string | ToolOutcome | Promise<string | ToolOutcome>;
  },
): FakeTools => {
  const runs: ToolRun[] = [];
  return {
    runs,
    list: () => Promise.resolve({ tools: specs, problems: [] }),
    inspect: (_scope, spec, args) => {
      const operands = operandPointers(spec, args).found.map((found): Operand => {
        if (found.declared.kind !== 'path') return urlOperand(found.given);
        return pathOperand(found.given, found.declared.access, options.root);
      });
      return Promise.resolve({
        operands: spec.operands === 'undeclared' ? [{ kind: 'undeclared' }] : operands,
        roots: operands.some((one) => one.kind === 'path')
          ? { root: options.root, allowed: [], siblings: {}, denied: [] }
          : null,
        confined: false,
      });
    },
    run: async (_scope, started) => {
      if (!isStartedToolCall(started)) throw new TypeError('a tool call without an intent');
      const { tool, call, attempt, idempotencyKey } = started.event.data;
      const run = { tool, call, attempt, idempotencyKey, args: started.args };
      runs.push(run);
      const result = await options.run(run);
      return typeof result === 'string'
        ? { ok: true, text: result, isError: false, masked: 0, touched: [] }
        : result;
    },
  };
};

const pathOperand = (
  given: string,
  access: 'read' | 'write' | 'read_write',
  root: string,
): Operand => {
  const lexical = given.startsWith('/') ? given : `${root}/${given}`;
  return { kind: 'path', access, given, lexical, real: lexical, exists: false, content: null };
};

const urlOperand = (given: string): Operand => {
  const [, scheme = '', host = ''] = /^([a-z]+):\/\/([^/:]+)/.exec(given) ?? [];
  return {
    kind: 'url',
    given,
    scheme,
    host,
    port: scheme === 'http' ? 80 : 443,
    method: 'GET',
    addresses: [{ address: '192.0.2.1', private: false }],
  };
};
