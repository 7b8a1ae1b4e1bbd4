import type { Limit } from '@lockstep/policy';
import type { Content } from '../events/content.ts';
import type { MemoryScope, RecalledRow } from '../events/turn-parts.ts';

/** How a look keeps what it finds changed outside: rows of this agent are stamped and masked as its policy says. */
export interface MemoryKeeper {
  readonly agent: string;
  readonly retentionDays: Limit;
  /** Secrets in known formats are masked. */
  readonly redact: boolean;
}

/** A look into memory. The scope is part of the query: rows outside it are never read. */
export interface MemoryQuery {
  readonly keeper: MemoryKeeper;
  readonly scope: MemoryScope;
  /** Words to look for; null = the newest rows. */
  readonly text: string | null;
  readonly limit: Limit;
}

/** Kept rows of all agents. */
export interface Memory {
  /** Rows that fit, best first. A row can be read as soon as the event that stored it is acknowledged.
   * @throws when the rows cannot be read or an outside change cannot be recorded */
  recall(query: MemoryQuery): Promise<readonly RecalledRow[]>;
}

/** What a recall is recorded with, beside how it came about. */
export interface Recalled {
  readonly query: Content;
  readonly limit: Limit;
  readonly scope: MemoryScope;
  readonly rows: RecalledRow[];
}
