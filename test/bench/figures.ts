/** What a figure should be on two free cores; null = it is shown for comparison. */
export type Aim = { readonly atLeast: number } | { readonly atMost: number } | null;

export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly aim: Aim;
}

/** Prints one figure as a line of JSON, which `run.mjs` gathers. */
export const report = (what: string, value: number, unit: string, aim: Aim = null): void => {
  const figure: Figure = { what, value: Number(value.toPrecision(3)), unit, aim };
  process.stdout.write(`${JSON.stringify(figure)}\n`);
};

/** Value below which so large a part of them lies. `values` is sorted in place. */
export const percentile = (values: number[], part: number): number => {
  values.sort((a, b) => a - b);
  return values[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;
};

/** Times `work` again and again after a warm-up; microseconds of each run. */
export const timesOf = (work: () => unknown, milliseconds: number): number[] => {
  const warm = performance.now() + milliseconds / 2;
  while (performance.now() < warm) work();
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  for (let now = performance.now(); now < end;) {
    work();
    const after = performance.now();
    times.push((after - now) * 1_000);
    now = after;
  }
  return times;
};

/** `--quick`: a tenth of the time, for a first look. */
export const quick = process.argv.includes('--quick');
