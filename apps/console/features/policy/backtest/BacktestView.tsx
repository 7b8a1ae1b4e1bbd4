'use client';

import { Progress } from '@mantine/core';
import { countText, plural } from '../../../lib/format.ts';
import { CancelButton } from '../../../ui/CancelButton.tsx';
import { Empty, Failed, Loading } from '../../../ui/Notices.tsx';
import { When } from '../../../ui/When.tsx';
import { Report } from './Report.tsx';
import { useBacktest } from './use-backtest.ts';
import type { Backtest } from './backtest.logic.ts';

/** One backtest: how far it is, and what it found. */
export const BacktestView = ({ id }: { readonly id: string }) => {
  const read = useBacktest(id);
  if (read.kind === 'loading') return <Loading what="the backtest" />;
  if (read.kind === 'failed')
    return read.code === 'not_found' ? (
      <Empty title="There is no such backtest of yours">
        <p>
          A report stands for the sign-in that asked for it, until the daemon stops. Run it again.
        </p>
      </Empty>
    ) : (
      <Failed
        message={read.message}
        retry={() => {
          window.location.reload();
        }}
      />
    );
  const { value } = read;
  switch (value.state) {
    case 'running':
      return <Running backtest={value} />;
    case 'failed':
      return (
        <p role="alert">The backtest failed: {value.error ?? 'the daemon does not say why'}</p>
      );
    case 'cancelled':
      return <p role="status">The backtest was cancelled. Nothing of it is kept.</p>;
    case 'done':
      return value.report === null ? null : <Report report={value.report} />;
  }
};

const Running = ({ backtest: { id, progress, startedAt } }: { readonly backtest: Backtest }) => {
  const { done, all } = progress;
  return (
    <div data-backtest="running">
      <div className="row" style={{ marginBottom: '0.375rem' }}>
        <span role="status">
          {countText(done)} of {plural(all, 'turn')} judged
        </span>
        <span className="dim">
          began <When at={startedAt} />
        </span>
        <span className="push">
          <CancelButton path={`/v1/backtests/${encodeURIComponent(id)}`} method="DELETE">
            Cancel the backtest
          </CancelButton>
        </span>
      </div>
      <Progress
        size="sm"
        aria-label="turns judged"
        value={all === 0 ? 0 : (done / all) * 100}
        transitionDuration={200}
      />
    </div>
  );
};
