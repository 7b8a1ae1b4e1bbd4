import { CliError, exitCodes } from '../cli-error.ts';

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time as people say it (`30d`, `12h`, `2026-01-31`), in ms since the epoch.
 * @throws CliError when it is none */
export const sinceOf = (text: string, now: number): number => {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined)
    return now - Number(count) * unitMs[unit as keyof typeof unitMs];
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new CliError(
    exitCodes.usage,
    `\`${text}\` is no time, write it as \`30d\`, \`12h\` or \`2026-01-31\``,
  );
};
