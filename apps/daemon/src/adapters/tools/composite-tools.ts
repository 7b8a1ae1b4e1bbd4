import {
  aliasTools,
  builtinSpecs,
  operandPointers,
  type AbortSignalLike,
  type OperandFacts,
  type StartedToolCall,
  type ToolOutcome,
  type ToolPort,
  type ToolScope,
  type ToolSpec,
  type Touched,
} from '@lockstep/engine';
import { matchesClauses } from '@lockstep/policy';
import type { SecretMasker } from '../secrets/secret-masker.ts';
import type { Unsealer } from '../secrets/unsealer.ts';
import { beforeOf } from './before-text.ts';
import type { Running, ToolSource, ToolSources } from './tool-source.ts';

export interface CompositeParts {
  readonly sources: Pick<ToolSources, 'of' | 'list'>;
  readonly masker: SecretMasker;
  readonly unsealer: Unsealer;
  /** Calls back after so many ms, and answers the way to take it back. Absent = a timer of the machine. */
  readonly after?: ((ms: number, late: () => void) => () => void) | undefined;
}

/** Stands for a tool that no part of this build brings: it sees nothing and runs nothing. */
const nobody: ToolSource = {
  owns: () => false,
  inspect: () => Promise.resolve({ operands: [], roots: null, confined: false }),
  run: (_scope, started) =>
    Promise.resolve(failed('unavailable', `nothing runs \`${started.spec.id}\` here`, [])),
};

/** All tool sources behind the one port: secrets are restored here and nowhere else, and every outcome is masked here. */
export const compositeTools = (parts: CompositeParts): ToolPort => {
  const sourceOf = (spec: ToolSpec): ToolSource => parts.sources.of(spec.id) ?? nobody;
  const mask = ({ agent, policy }: ToolScope, text: string) =>
    parts.masker.mask(text, { formats: policy.output.redact, agent });
  return {
    list: async (scope) => {
      const { tools, problems } = await parts.sources.list(scope);
      return {
        tools: aliasTools([...builtinSpecs, ...tools]),
        problems: problems.map((p) => ({ ...p, message: mask(scope, p.message).text })),
      };
    },
    inspect: async (scope, spec, args, call): Promise<OperandFacts> => {
      const facts = await sourceOf(spec).inspect(scope, spec, args, call);
      const before = spec.id.startsWith('builtin:') ? await beforeOf(facts.operands) : null;
      return { ...facts, before: before === null ? null : mask(scope, before).text };
    },
    run: async (scope, started, signal) => {
      const outcome = await within(parts.after ?? timer, started, signal, (running) => {
        const args = restored(parts.unsealer, scope, started);
        return args.ok
          ? sourceOf(started.spec).run(scope, started, args.value, running)
          : Promise.resolve(failed('protocol', args.message, []));
      });
      if (!outcome.ok) return { ...outcome, message: mask(scope, outcome.message).text };
      const { text, masked } = mask(scope, outcome.text);
      // A source that had to cut a text has masked it before.
      return { ...outcome, text, masked: outcome.masked + masked };
    },
  };
};

type Restored =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly message: string };

/** Values go only to a tool that the policy names, only those that the recorded start names, and never where the operands that were judged would change. */
const restored = (unsealer: Unsealer, scope: ToolScope, started: StartedToolCall): Restored => {
  const { spec, event } = started;
  const { unsealed } = event.data;
  if (typeof started.args !== 'object' || started.args === null || Array.isArray(started.args))
    return { ok: false, message: 'the arguments are no object' };
  const plain = { ...started.args };
  if (unsealed.length === 0 || !matchesClauses(scope.policy.secrets.unseal, spec.id).ok)
    return { ok: true, value: plain };
  const value = unsealer.restore(plain, scope.agent, unsealed) as Record<string, unknown>;
  const before = operandPointers(spec, plain).found;
  const after = operandPointers(spec, value).found;
  const moved = before.some(({ declared, given }, n) => {
    const next = after[n]?.given ?? '';
    return declared.kind === 'path' ? next !== given : originOf(next) !== originOf(given);
  });
  return moved
    ? { ok: false, message: 'a secret cannot stand in a path or in the host of an address' }
    : { ok: true, value };
};

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null);

const timer = (ms: number, late: () => void): (() => void) => {
  const pending = setTimeout(late, ms);
  return () => {
    clearTimeout(pending);
  };
};

/** The call's own deadline, and the caller's wish, as one signal; the outcome never waits longer than either. */
const within = async (
  after: NonNullable<CompositeParts['after']>,
  started: StartedToolCall,
  signal: AbortSignalLike,
  work: (running: Running) => Promise<ToolOutcome>,
): Promise<ToolOutcome> => {
  const controller = new AbortController();
  const touched: Touched[] = [];
  const { timeoutMs } = started.event.data;
  let takeBack = (): void => undefined;
  let onAbort = (): void => undefined;
  const ended = new Promise<ToolOutcome>((done) => {
    const end = (outcome: ToolOutcome): void => {
      controller.abort();
      done(outcome);
    };
    onAbort = () => {
      end(failed('unavailable', 'the call was cancelled', touched));
    };
    if (timeoutMs !== 'unlimited')
      takeBack = after(timeoutMs, () => {
        end(failed('timeout', `the call took longer than ${timeoutMs} ms`, touched));
      });
  });
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([ended, work({ signal: controller.signal, touched })]);
  } finally {
    takeBack();
    signal.removeEventListener('abort', onAbort);
  }
};

const failed = (
  kind: Extract<ToolOutcome, { ok: false }>['kind'],
  message: string,
  touched: readonly Touched[],
): ToolOutcome => ({ ok: false, kind, message, touched });
