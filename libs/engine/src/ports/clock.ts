/** Wall clock in ms since the epoch. */
export interface Clock {
  now(): number;
}

/** Source of ids: UUIDv7, so that they sort by time. */
export interface Ids {
  next(): string;
}
