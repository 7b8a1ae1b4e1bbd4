import { visibleText } from '../gate/visible-text.ts';

/** What a person who opens a gate is shown. Masked before it comes here. */
export interface GateViewInput {
  readonly sop: string;
  readonly step: string;
  readonly agent: string;
  readonly by: string;
  readonly prompt: string;
  readonly tools: readonly string[] | null;
}

/** Longest shown form of the prompt, in characters. */
const promptLimit = 20_000;

/** The text on which a person lets a step begin: who asks, which step of what, and the prompt as the agent will get it. Hidden
 * characters are made visible, a cut is marked. */
export const gateView = (input: GateViewInput): string => {
  const prompt = visibleText(input.prompt);
  const shown =
    prompt.length <= promptLimit
      ? prompt
      : `${prompt.slice(0, promptLimit).toWellFormed()}\n[cut: ${prompt.length - promptLimit} more characters]`;
  return [
    `procedure: ${input.sop}`,
    `step: ${input.step}`,
    `agent: ${input.agent}`,
    `for: ${input.by}`,
    `tools: ${input.tools === null ? 'all of the agent' : input.tools.join(', ')}`,
    'prompt:',
    shown,
  ].join('\n');
};
