import { specText, type ToolSpec } from '@lockstep/engine';
import type { RunnerParts } from './runner-parts.ts';

type Citing = Pick<RunnerParts, 'recorded' | 'artifacts'>;

/** What an intent cites by digest is an artifact before it. */
export const cite = async (
  { recorded, artifacts }: Citing,
  prepared: { readonly system: string; readonly tools: string },
  texts: readonly string[],
): Promise<void> => {
  if (recorded.has(prepared.system) && recorded.has(prepared.tools)) return;
  for (const text of texts) await artifacts.put(text);
  recorded.add(prepared.system).add(prepared.tools);
};

/** A verdict names the digest of the tool that it judged: what that tool was is in the log before it. */
export const citeSpec = async (
  { recorded, artifacts }: Citing,
  spec: ToolSpec | null,
): Promise<void> => {
  if (spec === null || recorded.has(spec.digest)) return;
  await artifacts.put(specText(spec));
  recorded.add(spec.digest);
};
