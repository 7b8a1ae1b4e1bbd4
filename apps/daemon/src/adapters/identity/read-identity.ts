import { pathVisible, type Masker } from '@lockstep/engine';
import { digestOfText, normalPath, type PolicySnapshot } from '@lockstep/policy';
import { contentOf, holdFileAt, textOf } from '../tools/file-content.ts';
import { realPathOf } from '../tools/real-path.ts';
import { rootsFactOf, type RootsScope } from '../tools/roots-fact.ts';

/** Largest identity file, in bytes. */
export const largestIdentityBytes = 256 * 1024;

export type IdentityRead =
  | {
      readonly ok: true;
      /** In the order of config; the text is masked, the digest is the masked text's. */
      readonly files: readonly {
        readonly path: string;
        readonly digest: string;
        readonly text: string;
      }[];
    }
  | { readonly ok: false; readonly message: string };

/** Reads the identity files that a policy names, or says which one cannot be read. */
export type ReadIdentity = (
  policy: PolicySnapshot,
  narrowings: RootsScope['narrowings'],
) => Promise<IdentityRead>;

/** Identity files of this machine: each by its real path, a regular UTF-8 file within the bound, masked where it enters. */
export const identityReader =
  (masker: Pick<Masker, 'mask'>): ReadIdentity =>
  async (policy, narrowings) => {
    const options = { formats: policy.output.redact, agent: policy.agent };
    const read: { path: string; digest: string; text: string }[] = [];
    for (const path of policy.context.identity.files) {
      try {
        const text = await textAt({ policy, narrowings }, path);
        const masked = masker.mask(text.toWellFormed(), options).text;
        read.push({ path, digest: digestOfText(masked), text: masked });
      } catch (error) {
        return { ok: false, message: whyNot(path, error) };
      }
    }
    return { ok: true, files: read };
  };

const textAt = async (scope: RootsScope, path: string): Promise<string> => {
  const lexical = normalPath(path);
  const real = realPathOf(lexical);
  if (real === null) throw new Error('its real path cannot be found out');
  if (!isOpen(scope, lexical, real)) throw new Error('it leads to what is closed to the agent');
  const file = holdFileAt(real);
  try {
    if (file.stats.size > largestIdentityBytes)
      throw new Error(`it is larger than ${largestIdentityBytes} bytes`);
    return textOf(await contentOf(file), path);
  } finally {
    file.close();
  }
};

/** A link may have been put in the place of the file: what it leads to would stand in the system text. Only what makes the file an
 * identity file closes it here; everything else that is closed stays so. */
const isOpen = (scope: RootsScope, lexical: string, real: string): boolean => {
  const { policy } = scope;
  const { context } = policy;
  const opened = { ...context, identity: { ...context.identity, writable: true } };
  return pathVisible({ ...policy, context: opened }, rootsFactOf(scope), lexical, real);
};

const whyNot = (path: string, error: unknown): string =>
  `the identity file \`${path}\` cannot be read (${
    error instanceof Error ? error.message : String(error)
  }): put it there, or take it out of \`context.identity.files\``;
