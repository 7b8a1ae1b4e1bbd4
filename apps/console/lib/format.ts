/** Where times are shown: as the clock on the wall, or in UTC. */
export type Zone = 'local' | 'utc';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long something lasts or lasted, in one or two units: `850 ms`, `12 s`, `3 m 05 s`, `2 h 10 m`, `4 d 3 h`. */
export const duration = (ms: number): string => {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < minute) return `${Math.floor(ms / 1000)} s`;
  const two = (big: number, unit: string, small: number, smallUnit: string): string =>
    `${big} ${unit} ${String(small).padStart(2, '0')} ${smallUnit}`;
  if (ms < hour) return two(Math.floor(ms / minute), 'm', Math.floor((ms % minute) / 1000), 's');
  if (ms < day) return two(Math.floor(ms / hour), 'h', Math.floor((ms % hour) / minute), 'm');
  return `${Math.floor(ms / day)} d ${Math.floor((ms % day) / hour)} h`;
};

/** An age in one unit, for places where seconds would flicker: `now`, `40 s`, `3 m`, `2 h`, `4 d`. */
export const age = (ms: number): string => {
  if (ms < 5000) return 'now';
  if (ms < minute) return `${Math.floor(ms / 5000) * 5} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} m`;
  if (ms < day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} d`;
};

/** `age` as a point in the past: `now`, `3 m ago`. */
export const ago = (ms: number): string => {
  const text = age(ms);
  return text === 'now' ? text : `${text} ago`;
};

const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

/** A time to the millisecond, with its zone: `2026-11-30 17:25:06.123 UTC`. */
export const exactTime = (at: number, zone: Zone): string => {
  const date = new Date(at);
  if (zone === 'utc') return `${date.toISOString().replace('T', ' ').slice(0, 23)} UTC`;
  const offset = -date.getTimezoneOffset();
  const sign = offset < 0 ? '-' : '+';
  const size = Math.abs(offset);
  return `${dayOf(date)} ${clockOf(date)}.${pad(date.getMilliseconds(), 3)} ${sign}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
};

/** Time of the day to the second. */
export const clockTime = (at: number, zone: Zone): string =>
  zone === 'utc' ? new Date(at).toISOString().slice(11, 19) : clockOf(new Date(at));

const dayOf = (date: Date): string =>
  `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
const clockOf = (date: Date): string =>
  `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;

/** Micro-dollars as dollars: `$0.00`, `$0.0042`, `unknown`. */
export const costText = (cost: number | 'unknown'): string => {
  if (cost === 'unknown') return 'unknown';
  const dollars = cost / 1_000_000;
  return `$${dollars.toFixed(cost > 0 && dollars < 0.01 ? 6 : 2)}`;
};

/** A count with thin groups of three digits. */
export const countText = (value: number): string =>
  String(value).replace(/\B(?=(\d{3})+$)/g, '\u2009');

const digest = /^[0-9a-f]{64}$/;

/** The part of an id that tells it from its neighbours: of a digest the first twelve, of others the end, since ids of one second share
 * their beginning. */
export const shortId = (id: string): string => {
  if (digest.test(id)) return id.slice(0, 12);
  return id.length <= 12 ? id : `…${id.slice(-8)}`;
};

/** `1 turn`, `2 turns`. */
export const plural = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
