/** Digests of artifacts that this process has seen recorded, the last of them: one that is forgotten is recorded again, which does nothing. */
export class SeenDigests {
  readonly #digests = new Set<string>();
  readonly #most: number;

  constructor(most = 10_000) {
    this.#most = most;
  }

  get size(): number {
    return this.#digests.size;
  }

  has(digest: string): boolean {
    return this.#digests.has(digest);
  }

  add(digest: string): this {
    const oldest = this.#digests.keys().next();
    if (this.#digests.size >= this.#most && oldest.done !== true)
      this.#digests.delete(oldest.value);
    this.#digests.add(digest);
    return this;
  }
}
