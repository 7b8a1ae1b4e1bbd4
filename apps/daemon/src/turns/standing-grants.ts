import {
  builtinSpecs,
  toolSpecSchema,
  whyGrantVoid,
  type DataOf,
  type ToolSpec,
} from '@lockstep/engine';
import { digestOfText, resolve, type AppliedConfig } from '@lockstep/policy';
import { appendShared, plainMeta } from './append-shared.ts';
import type { TurnParts } from './turn-parts.ts';

type GrantParts = Pick<
  TurnParts,
  'store' | 'ledger' | 'artifacts' | 'config' | 'ids' | 'identity' | 'report'
>;

/** Judges standing grants again whenever a config comes into force: those that it denies are revoked with the reason. */
export class StandingGrants {
  readonly #parts: GrantParts;
  /** One look after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(parts: GrantParts) {
    this.#parts = parts;
    parts.config.onApplied(() => void this.judge());
  }

  /** Resolves when every grant was looked at. Never rejects. */
  judge(): Promise<void> {
    this.#work = this.#work
      .then(() => this.#judgeAll())
      .catch((error: unknown) => {
        this.#parts.report({ turn: '', error });
      });
    return this.#work;
  }

  async #judgeAll(): Promise<void> {
    const applied = this.#parts.config.current();
    for (const grant of this.#parts.ledger.allGrants()) {
      const why = await this.#whyVoid(grant, applied);
      if (why !== null) await this.#revoke(grant, `config version ${applied.version}: ${why}`);
    }
  }

  async #whyVoid(grant: DataOf<'GrantIssued'>, applied: AppliedConfig): Promise<string | null> {
    const { agent, tool, spec } = grant;
    // What every way to start the agent has in common. No way can widen it.
    const resolved = resolve(
      applied,
      {
        agent,
        principal: { kind: 'local', id: 'local', person: null },
        session: `session-${agent}-grants`,
        origin: { kind: 'run' },
        client: 'none',
      },
      {},
    );
    if (!resolved.ok) return `the agent \`${agent}\` is not available`;
    const found = await this.#spec(tool, spec);
    if (found === null) return `what \`${tool}\` was is no longer known`;
    return whyGrantVoid(resolved.policy.parts.snapshot, found);
  }

  async #spec(tool: string, digest: string): Promise<ToolSpec | null> {
    const builtin = builtinSpecs.find((one) => one.id === tool && one.digest === digest);
    if (builtin !== undefined) return builtin;
    const text = await this.#parts.artifacts.get(digest);
    if (text === null) return null;
    const read = toolSpecSchema.safeParse({ ...JSON.parse(text), alias: 'tool', digest });
    return read.success && digestOfText(text) === digest ? read.data : null;
  }

  async #revoke({ grant, agent }: DataOf<'GrantIssued'>, why: string): Promise<void> {
    const { store, ids, identity } = this.#parts;
    await appendShared(store, `agent-${agent}`, {
      type: 'GrantRevoked',
      id: ids.next(),
      meta: plainMeta(identity, { id: grant, agent }),
      data: { grant, by: 'config', why },
    });
  }
}
