import { fenceUntrusted } from '../context/fence.ts';

/** Texts that the places of a template stand for. */
export interface PromptTexts {
  readonly input: string;
  /** Replies of earlier steps, by name. */
  readonly steps: ReadonlyMap<string, string>;
}

const place = /\{\{\s*(?:(input)|steps\.([a-z][a-z0-9_-]{0,31}))\s*\}\}/g;

/** Puts texts into a template, once: what they hold is never read as a template. Replies of other agents are fenced as untrusted. A
 * place that stands for nothing stays as it is written. */
export const renderPrompt = (template: string, texts: PromptTexts): string =>
  template.replace(
    place,
    (written: string, input: string | undefined, step: string | undefined) => {
      if (input !== undefined) return texts.input;
      const text = step === undefined ? undefined : texts.steps.get(step);
      return text === undefined || step === undefined ? written : fenced(step, text);
    },
  );

const fenced = (step: string, text: string): string => fenceUntrusted(text, `step:${step}`);
