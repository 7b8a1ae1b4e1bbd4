import { createHmac, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const vaultSchema = z.strictObject({
  version: z.literal(1),
  key: z.string().regex(/^[0-9a-f]{64}$/),
  /** Values behind `«sealed:ID»`. */
  sealed: z.record(z.string(), z.string()),
  /** Which agents really met the value behind a placeholder: only they may be handed it again. */
  bound: z.record(z.string(), z.array(z.string())),
});
type VaultFile = z.infer<typeof vaultSchema>;

const most = 10_000;

/** The vault cannot be read. The start ends with it: a new one in its place would make placeholders of the log meaningless in silence. */
export class VaultDamagedError extends Error {
  readonly exitCode = 4;

  constructor(path: string, cause: unknown) {
    super(
      `the vault \`${path}\` is damaged: put a copy back, or remove it and accept that what «sealed:…» stands for in the log is lost`,
      { cause },
    );
  }
}

const readVault = (path: string): VaultFile => {
  try {
    return vaultSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new VaultDamagedError(path, cause);
  }
};

/** Keeps what placeholders stand for, in one file that only the owner may read. An id is a keyed digest of the value, so the same
 * value has the same id and nobody can work one out. */
export class Vault {
  readonly #path: string | null;
  readonly #file: VaultFile;
  #dirty = false;

  /** @throws VaultDamagedError when the file is there and broken */
  constructor(path: string | null) {
    this.#path = path;
    this.#file =
      path !== null && existsSync(path)
        ? readVault(path)
        : { version: 1, key: randomBytes(32).toString('hex'), sealed: {}, bound: {} };
    this.#dirty = path !== null && !existsSync(path);
    if (path !== null && existsSync(path)) chmodSync(path, 0o600);
  }

  /** The placeholder of a value in a known token format. */
  seal(value: string, agent: string | null): string {
    const id = createHmac('sha256', this.#file.key).update(value).digest('hex').slice(0, 24);
    const placeholder = `«sealed:${id}»`;
    if (this.#file.sealed[id] === undefined) {
      const ids = Object.keys(this.#file.sealed);
      if (ids.length >= most && ids[0] !== undefined) this.#forget(ids[0]);
      this.#file.sealed[id] = value;
      this.#dirty = true;
    }
    this.bind(placeholder, agent);
    return placeholder;
  }

  /** Notes that this agent met the value behind the placeholder. */
  bind(placeholder: string, agent: string | null): void {
    if (agent === null) return;
    const agents = this.#file.bound[placeholder] ?? [];
    if (agents.includes(agent)) return;
    this.#file.bound[placeholder] = [...agents, agent];
    this.#dirty = true;
  }

  isBound(placeholder: string, agent: string): boolean {
    return this.#file.bound[placeholder]?.includes(agent) ?? false;
  }

  sealedValue(id: string): string | null {
    return this.#file.sealed[id] ?? null;
  }

  /** Writes what changed, atomically. Call it before a placeholder leaves the process. */
  save(): void {
    if (!this.#dirty || this.#path === null) return;
    const next = `${this.#path}.${process.pid}.tmp`;
    writeFileSync(next, JSON.stringify(this.#file), { mode: 0o600 });
    renameSync(next, this.#path);
    this.#dirty = false;
  }

  #forget(id: string): void {
    this.#file.sealed = Object.fromEntries(
      Object.entries(this.#file.sealed).filter(([known]) => known !== id),
    );
    this.#file.bound = Object.fromEntries(
      Object.entries(this.#file.bound).filter(([known]) => known !== `«sealed:${id}»`),
    );
  }
}
