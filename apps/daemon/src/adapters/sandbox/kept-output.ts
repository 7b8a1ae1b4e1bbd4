import type { ToolScope } from '@lockstep/engine';
import type { SecretMasker } from '../secrets/secret-masker.ts';

/** Bytes beside a cut that are looked through for secrets and then left out: no secret that is known may be longer. */
const margin = 16 * 1024;
const most = 1024 * 1024;

/** What a process wrote, its beginning and its end: never more than a fixed number of bytes, whatever it writes. */
export class KeptOutput {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #dropped = 0;

  /** `characters`: how many will be shown; of an unlimited text a mebibyte. */
  constructor(characters: number | 'unlimited') {
    const shown = characters === 'unlimited' ? most : Math.min(most, characters);
    this.#half = Math.ceil(shown / 2) + margin;
  }

  push(chunk: Buffer): void {
    const room = this.#half - this.#headBytes;
    const head = chunk.subarray(0, Math.max(0, room));
    if (head.length > 0) {
      this.#head.push(head);
      this.#headBytes += head.length;
    }
    const rest = chunk.subarray(head.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= this.#half) this.#dropFirst();
  }

  /** The text, masked where something is left out: a secret that the cut goes through must not stand there half. */
  text(masker: Pick<SecretMasker, 'mask'>, { agent, policy }: ToolScope): Shown {
    const tail = Buffer.concat(this.#tail);
    if (this.#dropped === 0 && tail.length <= this.#half)
      return { text: textOf(Buffer.concat([...this.#head, tail])), masked: 0 };
    const options = { formats: policy.output.redact, agent };
    const first = masker.mask(textOf(Buffer.concat(this.#head)), options);
    const last = masker.mask(textOf(tail.subarray(-this.#half)), options);
    const left = this.#dropped + Math.max(0, tail.length - this.#half) + 2 * margin;
    return {
      text: `${first.text.slice(0, -margin)}\n[about ${left} bytes are left out]\n${last.text.slice(margin)}`,
      masked: first.masked + last.masked,
    };
  }

  #dropFirst(): void {
    const first = this.#tail.shift();
    if (first === undefined) return;
    this.#tailBytes -= first.length;
    this.#dropped += first.length;
  }
}

export interface Shown {
  readonly text: string;
  readonly masked: number;
}

const textOf = (bytes: Buffer): string => new TextDecoder('utf-8').decode(bytes);
