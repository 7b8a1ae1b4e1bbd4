import type { Masker } from '../ports/masker.ts';

/** A masker that knows these values only. */
export const plainMasker = (secrets: Readonly<Record<string, string>> = {}): Masker => {
  const mask = (text: string): { readonly text: string; readonly masked: number } => {
    let masked = 0;
    let out = text;
    for (const [name, value] of Object.entries(secrets)) {
      const parts = out.split(value);
      masked += parts.length - 1;
      out = parts.join(`«secret:${name}»`);
    }
    return { text: out, masked };
  };
  return {
    mask,
    stream: () => {
      let held = '';
      return {
        // Holds everything back: no piece can be part of a secret that is not known yet.
        push: (piece) => {
          held += piece;
          return '';
        },
        end: () => mask(held).text,
      };
    },
  };
};
