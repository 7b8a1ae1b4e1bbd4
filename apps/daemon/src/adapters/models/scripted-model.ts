import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ModelInput, ModelOutcome, ModelPort } from '@lockstep/engine';
import type { ProviderConfig } from '@lockstep/policy';
import { unfenced } from './fence.ts';
import type { ModelContext } from './model-ports.ts';
import { parseScript, type ScriptProblem } from './parse-script.ts';
import type { Script, ScriptStep } from './script.schema.ts';
import { callIdOf, nextStep } from './script-position.ts';
import { fillArgs, fillResults, lastResults } from './script-results.ts';

type ScriptedConfig = Extract<ProviderConfig, { type: 'scripted' }>;

const pieceLength = 24;
const charsPerToken = 4;

/** A model that plays a file; an edit of the file counts from the next call.
 * @throws at a call when the script cannot be read or holds an error; `modelFor` turns that into the call's failure */
export const scriptedModel = (config: ScriptedConfig, context: ModelContext): ModelPort => {
  const path = resolve(context.secrets.base, config.script);
  let read: { readonly version: string; readonly port: ModelPort } | null = null;
  return {
    call: async (started, options) => {
      const { mtimeMs, size, ino } = statSync(path);
      const version = `${ino} ${mtimeMs} ${size}`;
      if (read?.version !== version)
        read = { version, port: playScript(readScript(path, config.script)) };
      return read.port.call(started, options);
    },
  };
};

/** Plays a script that was parsed before. */
export const playScript = (script: Script): ModelPort => ({
  call: async (started, options) => {
    const { modelCall, attempt } = started.event.data;
    const { step, index } = nextStep(script, started.input.messages, attempt);
    if (step.wait_ms !== undefined && !(await waited(step.wait_ms, options.signal)))
      return cancelled;
    if (step.fail !== undefined) return failure(step.fail);
    const results = lastResults(started.input.messages, unfenced);
    const said = fillResults(step.say ?? '', results);
    const text = withinTokens(said, started.event.data.maxOutputTokens);
    if (options.onDelta !== null) for (const piece of piecesOf(text)) options.onDelta(piece);
    const calls = (step.calls ?? []).map((c, n) => ({
      call: callIdOf(modelCall, attempt, index, n),
      alias: aliasOf(c.tool, started.input.tools),
      args: rawArgs(c.args, results),
    }));
    return {
      ok: true,
      text,
      calls,
      finish: text.length < said.length ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
      usage: usageOf(step, started.input, text),
    };
  },
});

export const describeScriptProblem = (p: ScriptProblem): string =>
  `${p.file}:${p.line}: ${p.path === '' ? '' : `${p.path}: `}${p.message}`;

const readScript = (path: string, shown: string): Script => {
  const parsed = parseScript(readFileSync(path, 'utf8'), shown);
  if (parsed.ok) return parsed.script;
  throw new Error(parsed.problems.map(describeScriptProblem).join('; '));
};

/** A tool that is not offered is still asked for, by its canonical id, so that the refusal at dispatch can be seen. */
const aliasOf = (tool: string, tools: ModelInput['tools']): string => {
  const id = /^(builtin|mcp|skill):/.test(tool) ? tool : `builtin:${tool}`;
  return tools.find((t) => t.id === id)?.alias ?? id;
};

const rawArgs = (args: unknown, results: readonly string[]): string =>
  typeof args === 'string' ? fillResults(args, results) : JSON.stringify(fillArgs(args, results));

const usageOf = (step: ScriptStep, input: ModelInput, text: string) => ({
  inputTokens: step.usage?.input ?? Math.ceil(lengthOf(input) / 4),
  outputTokens: step.usage?.output ?? Math.ceil((text.length + 8) / 4),
  cachedInputTokens: 0,
});

const lengthOf = (input: ModelInput): number =>
  input.messages.reduce((sum, m) => sum + m.text.length, input.system.length);

/** A model stops at its limit; this one counts four characters as a token. */
const withinTokens = (text: string, limit: number | 'unlimited'): string =>
  limit === 'unlimited'
    ? text
    : Array.from(text)
        .slice(0, limit * charsPerToken)
        .join('');

const piecesOf = (text: string): readonly string[] =>
  text.match(new RegExp(`[\\s\\S]{1,${pieceLength}}`, 'gu')) ?? [];

const waited = async (
  ms: number,
  signal: Parameters<ModelPort['call']>[1]['signal'],
): Promise<boolean> => {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
  };
  if (signal.aborted) return false;
  signal.addEventListener('abort', stop);
  try {
    await wait(ms, undefined, { signal: controller.signal });
    return true;
  } catch {
    return false;
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

const cancelled: ModelOutcome = {
  ok: false,
  kind: 'cancelled',
  status: null,
  message: 'the call was cancelled',
  retryable: false,
  retryAfterMs: null,
};

const failure = (fail: { readonly status: number; readonly message: string }): ModelOutcome => ({
  ok: false,
  kind: kindOfStatus(fail.status),
  status: fail.status,
  message: fail.message,
  retryable: fail.status === 429 || fail.status >= 500 || fail.status === 408,
  retryAfterMs: null,
});

const kindOfStatus = (status: number) =>
  status === 429
    ? 'rate_limited'
    : status === 401 || status === 403
      ? 'unauthorized'
      : status === 408
        ? 'timeout'
        : status >= 500
          ? 'unavailable'
          : 'rejected';
