/** Replaces secrets where they enter, so that model, log and approver see a placeholder. */
export interface Masker {
  /** Known secret values always; exact token formats too unless `formats` is false (`output.redact = false`). */
  mask(text: string, options: MaskOptions): { readonly text: string; readonly masked: number };
  /** The same for a text that comes in pieces: each piece handed out is one that no later piece can turn into a secret. */
  stream(options: MaskOptions): {
    push(piece: string): string;
    end(): string;
  };
}

export interface MaskOptions {
  readonly formats: boolean;
  /** The agent whose work the text enters; only it may be handed the value again. */
  readonly agent?: string | null;
}
