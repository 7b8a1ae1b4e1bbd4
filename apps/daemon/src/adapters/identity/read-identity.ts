import type { MaskOptions, Masker } from '@lockstep/engine';
import { digestOfText } from '@lockstep/policy';
import { contentOf, holdFileAt, textOf } from '../tools/file-content.ts';
import { realPathOf } from '../tools/real-path.ts';

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

/** Reads identity files, or says which one cannot be read. */
export type ReadIdentity = (
  files: readonly string[],
  options: MaskOptions,
) => Promise<IdentityRead>;

/** Identity files of this machine: each by its real path, a regular UTF-8 file within the bound, masked where it enters. */
export const identityReader =
  (masker: Pick<Masker, 'mask'>): ReadIdentity =>
  async (files, options) => {
    const read: { path: string; digest: string; text: string }[] = [];
    for (const path of files) {
      try {
        const { text } = masker.mask((await textAt(path)).toWellFormed(), options);
        read.push({ path, digest: digestOfText(text), text });
      } catch (error) {
        return { ok: false, message: whyNot(path, error) };
      }
    }
    return { ok: true, files: read };
  };

const textAt = async (path: string): Promise<string> => {
  const real = realPathOf(path);
  if (real === null) throw new Error('its real path cannot be found out');
  const file = holdFileAt(real);
  try {
    if (file.stats.size > largestIdentityBytes)
      throw new Error(`it is larger than ${largestIdentityBytes} bytes`);
    return textOf(await contentOf(file), path);
  } finally {
    file.close();
  }
};

const whyNot = (path: string, error: unknown): string =>
  `the identity file \`${path}\` cannot be read (${
    error instanceof Error ? error.message : String(error)
  }): put it there, or take it out of \`context.identity.files\``;
