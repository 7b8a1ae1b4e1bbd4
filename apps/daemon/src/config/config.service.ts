import type { Logger } from 'pino';
import {
  inlineLimitBytes,
  type Artifacts,
  type Content,
  type DataOf,
  type Ledger,
} from '@lockstep/engine';
import {
  canonicalJson,
  diffConfigs,
  digestOfText,
  parseStoredConfig,
  readableConfig,
  widens,
  type AppliedConfig,
  type Config,
  type ConfigChange,
  type ConfigProblem,
  type Host,
  type Principal,
} from '@lockstep/policy';
import type { FactRecorder } from '../record-fact.ts';
import type { CheckResult, StartConfig } from './check-config.ts';
import { readConfigFile, replaceConfigFile, watchConfigFile } from './config-file.ts';
import type { CurrentConfig } from './current-config.port.ts';

export interface ConfigParts {
  readonly file: string;
  readonly host: Host;
  readonly ledger: Ledger;
  readonly artifacts: Artifacts;
  readonly recorder: FactRecorder;
  readonly log: Logger;
  /** Judges a config text: its form and everything that it names. */
  readonly check: (text: string) => Promise<CheckResult>;
  readonly times?: { readonly debounceMs: number; readonly pollMs: number };
}

export type PutResult =
  | { readonly kind: 'applied'; readonly applied: AppliedConfig }
  | { readonly kind: 'changed'; readonly digest: string }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[] };

/** Who brings a config: the start, an edit of the file, or a caller. */
export type Bringer = 'start' | 'file' | Principal;

const mostProblems = 200;

/** The config in force. The file is the truth; what was applied is in the log. One change at a time. */
export class ConfigService implements CurrentConfig {
  readonly #parts: ConfigParts;
  readonly #listeners = new Set<(applied: AppliedConfig) => void>();
  readonly #texts: Map<number, string>;
  readonly #versions = new Map<number, AppliedConfig>();
  #current: AppliedConfig;
  #seenText: string;
  #busy: Promise<unknown> = Promise.resolve();
  #stopWatching: (() => void) | null = null;

  private constructor(
    parts: ConfigParts,
    texts: Map<number, string>,
    start: { readonly text: string; readonly applied: AppliedConfig },
  ) {
    this.#parts = parts;
    this.#texts = texts;
    this.#current = start.applied;
    this.#seenText = start.text;
    this.#versions.set(start.applied.version, start.applied);
  }

  /** Brings the config that the daemon starts on into force.
   * @param start `recorded` false: over a log that takes no events; absent = true */
  static async open(
    parts: ConfigParts,
    start: StartConfig & { readonly recorded?: boolean },
  ): Promise<ConfigService> {
    const texts = await recordedTexts(parts);
    const { checked, recorded = true } = start;
    const applied = recorded
      ? await applyChecked(parts, texts, checked, 'start')
      : nextApplied(parts, checked);
    return new ConfigService(parts, texts, { text: start.text, applied });
  }

  current(): AppliedConfig {
    return this.#current;
  }

  version(version: number): AppliedConfig | null {
    const known = this.#versions.get(version);
    if (known !== undefined) return known;
    const recorded = this.#parts.ledger.config(version);
    const text = this.#texts.get(version);
    if (recorded === null || text === undefined) return null;
    const read = appliedOf(recorded, text);
    if (read !== null) this.#versions.set(version, read);
    return read;
  }

  onApplied(listener: (applied: AppliedConfig) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  check(text: string): Promise<CheckResult> {
    return this.#parts.check(text);
  }

  /** What another config would change, and what of it grants more. */
  compare(after: Config): {
    readonly diff: readonly ConfigChange[];
    readonly widens: readonly string[];
  } {
    const { config, host } = this.#current;
    return { diff: diffConfigs(config, after), widens: widens(config, after, host) };
  }

  /** The file as it stands; null when it cannot be read now. */
  text(): Promise<string | null> {
    return readConfigFile(this.#parts.file);
  }

  get file(): string {
    return this.#parts.file;
  }

  watch(): void {
    this.#stopWatching ??= watchConfigFile(
      this.#parts.file,
      this.#parts.times ?? { debounceMs: 150, pollMs: 2000 },
      () => {
        this.reload().catch((thrown: unknown) => {
          this.#parts.log.error({ err: thrown }, 'the changed config could not be taken up');
        });
      },
    );
  }

  /** Takes up an edit of the file. An invalid one is recorded, and the config in force stays. */
  reload(): Promise<void> {
    return this.#inTurn(async () => {
      const text = await readConfigFile(this.#parts.file);
      if (text === null || text === this.#seenText) return;
      this.#seenText = text;
      const checked = await this.#parts.check(text);
      if (checked.ok) await this.#apply(checked, 'file');
      else await this.#reject(text, checked.problems, 'file');
    });
  }

  /** Replaces the file, if the config in force is still the one that the caller saw. */
  put(text: string, ifMatch: string, by: Principal): Promise<PutResult> {
    return this.#inTurn(async () => {
      if (ifMatch !== this.#current.digest)
        return { kind: 'changed', digest: this.#current.digest };
      const checked = await this.#parts.check(text);
      if (!checked.ok) {
        await this.#reject(text, checked.problems, by);
        return { kind: 'invalid', problems: checked.problems };
      }
      await replaceConfigFile(this.#parts.file, text);
      this.#seenText = text;
      await this.#apply(checked, by);
      return { kind: 'applied', applied: this.#current };
    });
  }

  async close(): Promise<void> {
    this.#stopWatching?.();
    await this.#busy.catch(() => undefined);
  }

  async #apply(checked: CheckResult & { ok: true }, by: Bringer): Promise<void> {
    const applied = await applyChecked(this.#parts, this.#texts, checked, by);
    if (applied.version === this.#current.version) return;
    this.#versions.set(applied.version, applied);
    this.#current = applied;
    this.#parts.log.info({ version: applied.version, digest: applied.digest }, 'config applied');
    for (const listener of this.#listeners) listener(applied);
  }

  async #reject(text: string, problems: readonly ConfigProblem[], by: Bringer): Promise<void> {
    this.#parts.log.warn(
      { problems: problems.length, first: problems[0]?.path ?? '' },
      'config rejected, the one before stays in force',
    );
    await recordRejected(this.#parts, text, problems, by);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#busy.then(work, work);
    this.#busy = mine.catch(() => undefined);
    return mine;
  }
}

const nameOf = (by: Bringer): string => (typeof by === 'string' ? by : by.id);
const principalOf = (by: Bringer): Principal | null => (typeof by === 'string' ? null : by);

const recordRejected = async (
  parts: ConfigParts,
  text: string,
  problems: readonly ConfigProblem[],
  by: Bringer,
): Promise<void> => {
  const data = {
    by: nameOf(by),
    digest: digestOfText(text.toWellFormed()),
    problems: problems
      .slice(0, mostProblems)
      .map(({ path, line, column, message }) => ({ path, line, column, message })),
  };
  await parts.recorder.record('config', [{ type: 'ConfigRejected', data }], {
    principal: principalOf(by),
  });
};

/** Records the config unless it is the one of the newest version, on the same host. */
const applyChecked = async (
  parts: ConfigParts,
  texts: Map<number, string>,
  checked: CheckResult & { ok: true },
  by: Bringer,
): Promise<AppliedConfig> => {
  const { config, digest } = checked;
  const { host } = parts;
  const latest = parts.ledger.latestConfig();
  const applied = nextApplied(parts, checked);
  if (applied.version === latest?.version) return applied;
  const recorded = latest === null ? null : appliedOf(latest, texts.get(latest.version) ?? '');
  const before = recorded?.config ?? null;
  const { text } = readableConfig(config);
  const data: DataOf<'ConfigApplied'> = {
    version: applied.version,
    content: await contentOf(parts.artifacts, text),
    digest,
    by: nameOf(by),
    diff: diffConfigs(before, config).map((change) => ({ ...change })),
    widens: widens(before, config, host),
    host,
  };
  await parts.recorder.record('config', [{ type: 'ConfigApplied', data }], {
    principal: principalOf(by),
  });
  texts.set(applied.version, text);
  return applied;
};

/** The newest version, if it is this config on the same host, or the one that follows it. */
const nextApplied = (
  { ledger, host }: ConfigParts,
  { config, digest }: CheckResult & { ok: true },
): AppliedConfig => {
  const latest = ledger.latestConfig();
  const isSame = latest?.digest === digest && canonicalJson(latest.host) === canonicalJson(host);
  return { version: (latest?.version ?? 0) + (isSame ? 0 : 1), digest, config, host };
};

const contentOf = async (artifacts: Artifacts, text: string): Promise<Content> => {
  if (Buffer.byteLength(text, 'utf8') <= inlineLimitBytes) return { inline: text };
  const put = await artifacts.put(text);
  return { artifact: put.digest, bytes: put.bytes };
};

/** The canonical text of every recorded version, so that an old one can be read without waiting. */
const recordedTexts = async (parts: ConfigParts): Promise<Map<number, string>> => {
  const texts = new Map<number, string>();
  for (const { version } of parts.ledger.configVersions()) {
    const content = parts.ledger.config(version)?.content;
    if (content === undefined || 'sealed' in content) continue;
    const text = 'inline' in content ? content.inline : await parts.artifacts.get(content.artifact);
    if (text !== null) texts.set(version, text);
  }
  return texts;
};

/** Null when a later build cannot read what was recorded. */
const appliedOf = (recorded: DataOf<'ConfigApplied'>, text: string): AppliedConfig | null => {
  const read = parseStoredConfig(text);
  if (!read.ok) return null;
  const { version, digest, host } = recorded;
  return { version, digest, config: read.config, host };
};
