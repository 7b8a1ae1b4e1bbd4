import type { ModelMessage } from '@lockstep/engine';
import { RE2JS } from 're2js';
import { regexOf } from './parse-script.ts';
import type { Script, ScriptStep } from './script.schema.ts';

export interface Played {
  readonly step: ScriptStep;
  /** 0-based number of the step in the scenario, counted on through the default. */
  readonly index: number;
}

const longestSubject = 100_000;

/** Which step plays next. It follows from the messages and the attempt alone, so a restart goes on at the same place: what the
 * messages hold was played, failures that the script wrote were passed over, and each further attempt takes one more step. */
export const nextStep = (
  script: Script,
  messages: readonly ModelMessage[],
  attempt: number,
): Played => {
  const from = messages.findLastIndex((m) => m.role === 'user');
  const user = messages[from];
  const subject = user?.role === 'user' ? user.text.slice(0, longestSubject) : '';
  const steps = script.scenarios.find((s) => matches(s.when, subject))?.steps ?? [];
  const at = (index: number): ScriptStep => stepAt(script, steps, index);
  let index = 0;
  for (const message of messages.slice(from + 1)) {
    if (message.role !== 'assistant') continue;
    const noted = message.calls.map((c) => playedIn(c.call)).find((n) => n !== null);
    if (noted !== undefined) index = noted;
    else
      for (let passed = 0; passed < 1000 && at(index).fail !== undefined; passed += 1) index += 1;
    index += 1;
  }
  index += attempt - 1;
  return { step: at(index), index };
};

/** Call ids carry the step that made them, so that later calls see which attempts were taken. */
export const callIdOf = (modelCall: number, attempt: number, index: number, n: number): string =>
  `m${modelCall}a${attempt}s${index}c${n}`;

const playedIn = (call: string): number | null => {
  const found = /^m\d+a\d+s(\d{1,9})c\d+$/.exec(call)?.[1];
  return found === undefined ? null : Number(found);
};

const stepAt = (script: Script, steps: readonly ScriptStep[], index: number): ScriptStep => {
  const rest = script.default[(index - steps.length) % script.default.length];
  const step = steps[index] ?? rest;
  if (step === undefined) throw new TypeError('a script has at least one default step');
  return step;
};

const matches = (when: string, subject: string): boolean => {
  const pattern = regexOf(when);
  return pattern === null ? subject.includes(when) : RE2JS.compile(pattern).matcher(subject).find();
};
