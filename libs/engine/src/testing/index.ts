export { memoryStore, type MemoryStore, type MemoryStoreOptions } from './memory-store.ts';
export { sequentialIds } from './sequential-ids.ts';
export { fixedClock, type FixedClock } from './fixed-clock.ts';
