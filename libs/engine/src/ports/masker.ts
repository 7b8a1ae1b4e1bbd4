/** Replaces secrets where they enter, so that model, log and approver see a placeholder. */
export interface Masker {
  /** Known secret values always; exact token formats too unless `formats` is false (`output.redact = false`). */
  mask(
    text: string,
    options: { readonly formats: boolean },
  ): { readonly text: string; readonly masked: number };
}
