import { Presets, SingleBar } from 'cli-progress';

/** Shows how far a backtest is, on stderr; nothing where that is no terminal. */
export const progressBar = () => {
  const bar = new SingleBar(
    {
      stream: process.stderr,
      format: '{bar} {percentage} % {value} of {total} turns, {eta_formatted} left',
      hideCursor: true,
      clearOnComplete: true,
      etaBuffer: 100,
    },
    Presets.shades_classic,
  );
  let started = false;
  return {
    show: ({ done, all }: { readonly done: number; readonly all: number }): void => {
      if (!started) bar.start(all, done);
      started = true;
      bar.setTotal(all);
      bar.update(done);
    },
    stop: (): void => {
      if (started) bar.stop();
    },
  };
};
