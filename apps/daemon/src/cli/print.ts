import Table from 'cli-table3';
import pc from 'picocolors';

/** Where a command writes: stdout of the process, or a buffer in specs. */
export interface Out {
  readonly write: (text: string) => void;
  readonly json: boolean;
}

/** One JSON document with `--json`, else the lines that a person reads. */
export const show = (out: Out, value: unknown, human: () => string): void => {
  out.write(out.json ? `${JSON.stringify(value, null, 2)}\n` : `${human()}\n`);
};

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const made = new Table({
    head: head.map((h) => pc.dim(h)),
    style: { head: [], border: [], compact: true },
    chars: {
      top: '',
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '',
      'mid-mid': '',
      right: '',
      'right-mid': '',
      middle: '  ',
    },
  });
  for (const row of rows) made.push([...row]);
  return made.toString();
};

/** `3 min ago`, with units that a person would say. */
export const ago = (time: number, now: number): string => {
  const secs = Math.max(0, Math.round((now - time) / 1000));
  if (secs < 60) return `${secs} s ago`;
  if (secs < 3600) return `${Math.floor(secs / 60)} min ago`;
  if (secs < 86_400) return `${Math.floor(secs / 3600)} h ago`;
  return `${Math.floor(secs / 86_400)} d ago`;
};

/** Text that came from a model, a tool or a stranger: control characters would move the reader's cursor. */
export const safe = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (c) => {
    const code = c.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });

export const oneLine = (text: string, width: number): string => {
  const flat = safe(text.replace(/\s+/g, ' ').trim());
  return flat.length <= width ? flat : `${flat.slice(0, width - 1)}…`;
};

/** Micro-dollars as dollars. */
export const dollars = (micro: number | 'unknown'): string =>
  micro === 'unknown' ? 'unknown' : `$${(micro / 1e6).toFixed(4)}`;

export const colourOfState = (state: string): string => {
  const word = { gap: pc.red('✕ gap'), enforced: pc.green('● enforced'), held: pc.blue('◐ held') };
  if (state in word) return word[state as keyof typeof word];
  return pc.dim(state === 'unobserved' ? '○ unobserved' : '–');
};
