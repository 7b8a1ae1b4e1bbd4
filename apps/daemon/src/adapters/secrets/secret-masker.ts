import type { Masker, MaskOptions } from '@lockstep/engine';
import { secretForms } from './secret-forms.ts';
import { pemEnd, pemStart, tokenCharacter, tokenPattern } from './token-formats.ts';
import type { Vault } from './vault.ts';

export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly placeholder: () => string;
}

/** A text that comes in pieces: hands out only what no later piece can turn into a secret. */
export interface MaskStream {
  push(piece: string): string;
  end(): string;
}

const longestRun = 64 * 1024;

/** Replaces known values and token formats by placeholders. The known values may grow at any time (a reference that is read for
 * the first time, a config that names a new one). */
export class SecretMasker implements Masker {
  readonly #vault: Vault;
  readonly #nameOf = new Map<string, string>();
  readonly #valueOf = new Map<string, string>();
  #forms: readonly string[] = [];
  #pattern: RegExp | null = null;

  constructor(vault: Vault, known: readonly KnownSecret[] = []) {
    this.#vault = vault;
    this.know(known);
  }

  /** From now on these values are masked everywhere. A value that was known stays known: it may stand in old texts. */
  know(secrets: readonly KnownSecret[]): void {
    const fresh = secrets.filter(({ name, value }) => this.#valueOf.get(name) !== value);
    if (fresh.length === 0) return;
    for (const { name, value } of fresh) {
      this.#valueOf.set(name, value);
      for (const form of secretForms(value))
        if (!this.#nameOf.has(form)) this.#nameOf.set(form, name);
    }
    this.#forms = [...this.#nameOf.keys()].sort((a, b) => b.length - a.length);
    this.#pattern =
      this.#forms.length === 0 ? null : new RegExp(this.#forms.map(escaped).join('|'), 'g');
  }

  mask(text: string, options: MaskOptions): { readonly text: string; readonly masked: number } {
    const found = this.#find(text, options);
    if (found.length === 0) return { text, masked: 0 };
    const out = replaced(text, found, 0, text.length);
    this.#vault.save();
    return { text: out, masked: found.length };
  }

  stream(options: MaskOptions): MaskStream {
    let held = '';
    let before = '';
    const take = (wanted: number): string => {
      const whole = before + held;
      const found = this.#find(whole, options, before.length);
      const straddling = found.find((f) => f.start < wanted && f.end > wanted);
      const cut = Math.max(before.length, straddling?.start ?? wanted);
      const out = replaced(whole, found, before.length, cut);
      held = whole.slice(cut);
      before = whole.slice(Math.max(0, cut - 1), cut);
      this.#vault.save();
      return out;
    };
    return {
      push: (piece) => {
        held += piece;
        return take(before.length + this.#safeLength(held, options.formats));
      },
      end: () => take(before.length + held.length),
    };
  }

  /** The value behind `«secret:NAME»` as it was read last. */
  valueOf(name: string): string | null {
    return this.#valueOf.get(name) ?? null;
  }

  /** Matches from left to right, none inside another; a known value wins over a format. */
  #find(text: string, options: MaskOptions, from = 0): readonly Found[] {
    const agent = options.agent ?? null;
    const known: Found[] = [];
    if (this.#pattern !== null)
      for (const match of matchesFrom(text, this.#pattern, from)) {
        const name = this.#nameOf.get(match[0]) ?? 'unnamed';
        known.push(foundAt(match, () => this.#known(name, agent)));
      }
    if (!options.formats) return known;
    const tokens = matchesFrom(text, tokenPattern(), from)
      .map((m) => foundAt(m, () => this.#vault.seal(m[0], agent)))
      .filter((t) => !known.some((k) => k.start < t.end && t.start < k.end));
    return [...known, ...tokens].sort((a, b) => a.start - b.start);
  }

  #known(name: string, agent: string | null): string {
    const placeholder = `«secret:${name}»`;
    this.#vault.bind(placeholder, agent);
    return placeholder;
  }

  /** How much of the held text no continuation can change the masking of. */
  #safeLength(held: string, formats: boolean): number {
    let cut = held.length - Math.max(0, (this.#forms[0]?.length ?? 0) - 1);
    if (formats) {
      while (cut > 0 && held.length - cut < longestRun && tokenCharacter.test(held[cut - 1] ?? ' '))
        cut -= 1;
      const pem = held.lastIndexOf(pemStart);
      if (pem >= 0 && pem < cut && !pemEnd.test(held.slice(pem)) && held.length - pem < longestRun)
        cut = pem;
    }
    return Math.max(0, cut);
  }
}

const foundAt = (match: RegExpExecArray, placeholder: () => string): Found => ({
  start: match.index,
  end: match.index + match[0].length,
  placeholder,
});

const replaced = (text: string, found: readonly Found[], from: number, to: number): string => {
  let out = '';
  let at = from;
  for (const f of found) {
    if (f.start < at || f.start >= to) continue;
    out += text.slice(at, f.start) + f.placeholder();
    at = f.end;
  }
  return out + text.slice(at, Math.max(at, to));
};

/** Matches that start at or after `from`; what stands before it is still seen as context. */
const matchesFrom = (text: string, pattern: RegExp, from: number): readonly RegExpExecArray[] => {
  pattern.lastIndex = from;
  return [...text.matchAll(pattern)];
};

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
