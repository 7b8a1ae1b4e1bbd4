import { nothingMade, type Made, type OpenTurn } from '@lockstep/engine';
import type { SettingKey } from '@lockstep/policy';
import type { RunnerParts } from './runner-parts.ts';
import type { Texts } from './turn-contents.ts';

export type MadeOrWhy =
  | { readonly ok: true; readonly made: Made }
  /** A setting that cannot be kept, and what to do about it. */
  | { readonly ok: false; readonly key: SettingKey; readonly message: string };

/** What the system text of a turn is made of beside the template: read once, before its first model call, and kept by the turn. Every
 * text is an artifact before it is named. A file that cannot be read ends the turn: an agent never works without what config says
 * that it is. */
export const madeFor = async (
  parts: Pick<RunnerParts, 'readIdentity' | 'readSkills' | 'recorded' | 'artifacts'>,
  { made, policy, narrowings }: OpenTurn,
  texts: Texts,
): Promise<MadeOrWhy> => {
  if (made !== null) return { ok: true, made };
  const { files } = policy.context.identity;
  const read =
    files.length === 0
      ? { ok: true as const, files: [] }
      : await parts.readIdentity(policy, narrowings);
  if (!read.ok) return { ok: false, key: 'context.identity.files', message: read.message };
  const known = await parts.readSkills(policy);
  for (const { digest, text } of [...read.files, ...known]) {
    texts.set(digest, text);
    if (parts.recorded.has(digest)) continue;
    await parts.artifacts.put(text);
    parts.recorded.add(digest);
  }
  const identity = read.files.map(({ path, digest }) => ({ path, digest }));
  const skills = known.map(({ skill, digest }) => ({ skill, digest }));
  const mode = skills.length === 0 ? {} : { mode: policy.skills.prompt_mode };
  return { ok: true, made: { ...nothingMade, identity, skills, ...mode } };
};
