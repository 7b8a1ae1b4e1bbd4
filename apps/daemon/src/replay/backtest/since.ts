const units: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Milliseconds since the epoch of `30d` ago or of an ISO date or time; null = it is neither. Without a zone a time is UTC. */
export const readSince = (text: string, now: number): number | null => {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * (units[unit] ?? 0);
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text))
    return null;
  const isZoned = !text.includes('T') || /(Z|[+-]\d\d:\d\d)$/.test(text);
  const time = Date.parse(isZoned ? text : `${text}Z`);
  return Number.isNaN(time) ? null : time;
};
