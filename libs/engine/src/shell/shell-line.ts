/** A command of a line as it would be started. */
export interface ShellCommand {
  /** Program and arguments, quotes removed; never empty. */
  readonly argv: readonly string[];
  readonly highRisk: boolean;
}

/** A file that a line reads from or writes to by itself. */
export interface ShellRedirect {
  /** As the line gives it, quotes removed. */
  readonly target: string;
  readonly access: 'read' | 'write';
}

/** One piece of an understood line, in the order of its text: the shell's own words, a word of a command, the place of a redirect. */
export type ShellPiece =
  | { readonly kind: 'syntax'; readonly text: string }
  | { readonly kind: 'word'; readonly text: string }
  /** Index among the line's redirects. */
  | { readonly kind: 'target'; readonly redirect: number };

/** What was made of a line of shell. */
export type ShellLine =
  | {
      readonly understood: true;
      /** Every command of every pipeline, in the order of the text; at least one. */
      readonly commands: readonly ShellCommand[];
      readonly redirects: readonly ShellRedirect[];
      readonly pieces: readonly ShellPiece[];
      /** What of it runs other programs; null = nothing does. */
      readonly why: string | null;
    }
  | { readonly understood: false; readonly why: string };

/** The line written anew from what was understood, every word quoted, so that a shell can take nothing else from it. `targets`: the
 * places of the redirects, in their order.
 * @throws when a redirect has no place */
export const renderLine = (
  line: Extract<ShellLine, { understood: true }>,
  targets: readonly string[],
): string =>
  line.pieces
    .map((piece) => {
      switch (piece.kind) {
        case 'syntax':
          return piece.text;
        case 'word':
          return quoted(piece.text);
        case 'target':
          return quoted(targetOf(targets, piece.redirect));
      }
    })
    .join(' ');

const targetOf = (targets: readonly string[], index: number): string => {
  const target = targets[index];
  if (target === undefined) throw new Error(`redirect ${index} of the line has no place`);
  return target;
};

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
