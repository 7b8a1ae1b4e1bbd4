import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { z } from 'zod';
import { StoreError } from '../store-error.ts';
import { failureOf, NoAnswerError } from './failures.ts';
import { oneRecord, type Calls } from './one-record.ts';
import { retried } from './retried.ts';
import { within } from './timings.ts';

/** A claim on a log: the newest one in its stream holds, until it is released or no longer renewed. */
const claimSchema = z.object({
  holder: z.string(),
  host: z.string(),
  pid: z.int(),
  released: z.boolean(),
});
type Claim = z.infer<typeof claimSchema>;

export interface Ownership {
  /** Why this daemon may not write any more; null = it may. */
  readonly lost: string | null;
  release(): Promise<void>;
}

export interface OwnershipParts extends Calls {
  readonly stream: string;
  /** Names the data folder: a claim of the same folder is of a process that has ended, as the folder is locked. */
  readonly holder: string;
}

interface Standing {
  readonly revision: bigint | null;
  readonly claim: Claim | null;
}

/** Claims a log for this daemon alone and keeps the claim. Whether another one lives is seen by whether it renews, so that no two
 * clocks are compared.
 * @throws StoreError `store_in_use` with the holder, or when the cluster does not answer */
export const claimLog = async (parts: OwnershipParts): Promise<Ownership> => {
  const { timings, holder } = parts;
  let standing = await newestClaim(parts);
  const { claim } = standing;
  if (claim !== null && !claim.released && claim.holder !== holder) {
    await delay(timings.renew * 3);
    const later = await newestClaim(parts);
    if (later.revision !== standing.revision && later.claim?.released !== true)
      throw inUse(parts.where, later.claim ?? claim);
    standing = later;
  }
  const first = await writeClaim(parts, standing.revision, false);
  if (first === 'taken') throw inUse(parts.where, (await newestClaim(parts)).claim);
  return keep(parts, first);
};

const inUse = (where: string, by: Claim | null): StoreError =>
  new StoreError(
    'store_in_use',
    `the log at \`${where}\` is in use by ${by === null ? 'another daemon' : `process ${by.pid} on \`${by.host}\``}, stop that daemon or use another cluster`,
  );

const keep = (parts: OwnershipParts, from: bigint): Ownership => {
  let revision = from;
  let lost: string | null = null;
  let renewing: Promise<void> = Promise.resolve();
  const renew = async (): Promise<void> => {
    const written = await writeClaim(parts, revision, false).catch(() => null);
    if (written === 'taken') lost = 'another daemon took the log over, stop this one';
    else if (written !== null) revision = written;
  };
  const timer = setInterval(() => {
    if (lost === null) renewing = renewing.then(renew);
  }, parts.timings.renew);
  timer.unref();
  return {
    get lost() {
      return lost;
    },
    release: async () => {
      clearInterval(timer);
      await renewing;
      if (lost === null)
        await within(writeClaim(parts, revision, true), parts.timings.call).catch(() => undefined);
    },
  };
};

const newestClaim = async (parts: OwnershipParts): Promise<Standing> => {
  const newest = await oneRecord(parts, parts.stream, 'last');
  const read = claimSchema.safeParse(newest?.data);
  return { revision: newest?.revision ?? null, claim: read.data ?? null };
};

/** Writes the next claim; `taken` = somebody else wrote one. */
const writeClaim = (
  parts: OwnershipParts,
  after: bigint | null,
  released: boolean,
): Promise<bigint | 'taken'> => {
  const { client, stream, holder, timings } = parts;
  const claim: Claim = { holder, host: hostname(), pid: process.pid, released };
  // One id for all tries: one that was written and not answered is answered the second time.
  const event = jsonEvent({ type: 'LogClaimed', data: claim });
  return retried(parts, async () => {
    try {
      const result = await within(
        client.appendToStream(stream, event, {
          expectedRevision: after ?? NO_STREAM,
          requiresLeader: true,
          deadline: timings.call,
        }),
        timings.call * 2,
      );
      if (result === 'late') throw new NoAnswerError('no answer came in time');
      return result.nextExpectedRevision;
    } catch (error) {
      if (failureOf(error).kind === 'conflict') return 'taken' as const;
      throw error;
    }
  });
};
