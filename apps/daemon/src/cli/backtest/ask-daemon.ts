import type { BacktestReport } from '@lockstep/engine';
import {
  backtestProgressSchema,
  backtestSchema,
  backtestStartedSchema,
  type BacktestBody,
} from '../../http/schemas/backtest.schema.ts';
import type { BacktestOutcome, BacktestWatch } from '../../replay/backtest/run-backtest.ts';
import type { ApiClient } from '../client.ts';
import { CliError, exitCodes } from '../cli-error.ts';

/** Lets a daemon judge its own turns, and waits for the report.
 * @throws CliError when the daemon refuses or the backtest fails there */
export const askDaemon = async (
  client: ApiClient,
  body: BacktestBody,
  { onProgress, signal }: Required<BacktestWatch>,
): Promise<BacktestOutcome> => {
  const started = await client.send('POST', '/v1/backtests', body);
  const address = `/v1/backtests/${backtestStartedSchema.parse(started).id}`;
  const cancel = (): void => void client.send('DELETE', address).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for await (const { event, data } of client.stream(`${address}/stream`))
      if (event === 'progress') onProgress(backtestProgressSchema.parse(data));
    const { state, report, error } = backtestSchema.parse(await client.get(address));
    switch (state) {
      case 'done':
        return { kind: 'done', report: reportOf(report) };
      case 'cancelled':
        return { kind: 'cancelled' };
      case 'failed':
        throw new CliError(exitCodes.machine, error ?? 'the backtest failed');
      case 'running':
        throw new CliError(
          exitCodes.unreachable,
          'the daemon ended the stream of the backtest before its end',
        );
    }
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

type Wire = ReturnType<typeof backtestSchema.parse>['report'];

const reportOf = (wire: Wire): BacktestReport => {
  if (wire === null) throw new CliError(exitCodes.machine, 'the daemon sent no report');
  return wire as BacktestReport;
};
