import type { Logger } from 'pino';
import type { Artifacts, Clock, EventStore, Ledger } from '@lockstep/engine';
import type { AccessLog } from '../access/access-log.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { Sessions } from '../access/sessions.ts';
import type { ConfigService } from '../config/config.service.ts';
import type { GatewaySettings } from '../gateway-settings.ts';
import type { Probes } from '../probe/probes.port.ts';
import type { FactRecorder } from '../record-fact.ts';
import type { PreparedBacktest } from '../replay/backtest/backtest-log.ts';
import type { Backtests } from '../replay/backtest/backtests.ts';
import type { DraftSource } from '../replay/backtest/draft.ts';
import type { TurnFilter } from '../replay/backtest/turn-index.ts';
import type { Turns } from '../turns/turns.port.ts';
import type { Closing } from './closed.ts';
import type { LiveStreams } from './live-streams.ts';
import type { Metrics } from './metrics.ts';
import type { DryRun } from './dry-run.ts';
import type { ReadSide } from './read-side.ts';
import type { SseLimits } from './sse.ts';

/** What the routes work with that is there before the application is. */
export interface HttpBase extends Closing {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly artifacts: Artifacts;
  readonly recorder: FactRecorder;
  readonly clock: Clock;
  readonly config: ConfigService;
  readonly readSide: ReadSide;
  readonly accessLog: AccessLog;
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly live: LiveStreams;
  readonly metrics: Metrics;
  readonly sse: SseLimits;
  readonly log: Logger;
  readonly gateway: Pick<GatewaySettings, 'trustedProxies' | 'extraHosts'>;
  readonly probes: Probes;
  readonly backtests: Backtests;
  /** Reads a draft, to be put to the turns of this daemon's log. */
  readonly prepareBacktest: (source: DraftSource, filter: TurnFilter) => PreparedBacktest;
  /** What keeps the daemon from taking work, in a few words; empty = ready. */
  readonly notReady: () => readonly string[];
  /** Takes a read-only log over, in a while: the daemon stops and starts. */
  readonly adopt?: (by: string) => void;
  /** Why it is not taken over as it runs now; absent = it may be. */
  readonly whyNotAdopt?: string;
}

/** All that the routes work with. */
export interface HttpParts extends HttpBase {
  readonly turns: Turns;
  readonly dryRun: DryRun;
}

export const HTTP_PARTS = Symbol('HTTP_PARTS');
