import { randomUUID } from 'node:crypto';
import type { Lock, QueueEntry, StateAdapter } from 'chat';

/** What the SDK wants to remember while a channel runs: names, and how far it has polled. Messages are in the log, not here. */
export class SdkState implements StateAdapter {
  readonly #values = new Map<string, { readonly value: unknown; readonly until: number }>();
  readonly #threads = new Set<string>();

  connect(): Promise<void> {
    return Promise.resolve();
  }

  disconnect(): Promise<void> {
    this.#values.clear();
    return Promise.resolve();
  }

  get<T = unknown>(key: string): Promise<T | null> {
    // What is read under a key is what the SDK wrote there.
    return Promise.resolve(this.#read(key) as T | null);
  }

  set(key: string, value: unknown, ttlMs?: number): Promise<void> {
    this.#values.set(key, { value, until: ttlMs === undefined ? Infinity : Date.now() + ttlMs });
    return Promise.resolve();
  }

  async setIfNotExists(key: string, value: unknown, ttlMs?: number): Promise<boolean> {
    if (this.#read(key) !== null) return false;
    await this.set(key, value, ttlMs);
    return true;
  }

  delete(key: string): Promise<void> {
    this.#values.delete(key);
    return Promise.resolve();
  }

  async appendToList(
    key: string,
    value: unknown,
    options: { maxLength?: number; ttlMs?: number } = {},
  ): Promise<void> {
    const list = [...this.#list(key), value];
    await this.set(key, list.slice(-(options.maxLength ?? list.length)), options.ttlMs);
  }

  getList<T = unknown>(key: string): Promise<T[]> {
    return Promise.resolve(this.#list(key) as T[]);
  }

  async acquireLock(threadId: string, ttlMs: number): Promise<Lock | null> {
    const lock = { threadId, token: randomUUID(), expiresAt: Date.now() + ttlMs };
    return (await this.setIfNotExists(lockKey(threadId), lock, ttlMs)) ? lock : null;
  }

  async releaseLock(lock: Lock): Promise<void> {
    if (this.#holder(lock.threadId) === lock.token) await this.forceReleaseLock(lock.threadId);
  }

  forceReleaseLock(threadId: string): Promise<void> {
    return this.delete(lockKey(threadId));
  }

  async extendLock(lock: Lock, ttlMs: number): Promise<boolean> {
    if (this.#holder(lock.threadId) !== lock.token) return false;
    await this.set(lockKey(lock.threadId), lock, ttlMs);
    return true;
  }

  async enqueue(threadId: string, entry: QueueEntry, maxSize: number): Promise<number> {
    await this.appendToList(`queue:${threadId}`, entry, { maxLength: maxSize });
    return this.queueDepth(threadId);
  }

  async dequeue(threadId: string): Promise<QueueEntry | null> {
    const [first = null, ...rest] = await this.getList<QueueEntry>(`queue:${threadId}`);
    await this.set(`queue:${threadId}`, rest);
    return first;
  }

  async queueDepth(threadId: string): Promise<number> {
    return (await this.getList(`queue:${threadId}`)).length;
  }

  subscribe(threadId: string): Promise<void> {
    this.#threads.add(threadId);
    return Promise.resolve();
  }

  unsubscribe(threadId: string): Promise<void> {
    this.#threads.delete(threadId);
    return Promise.resolve();
  }

  isSubscribed(threadId: string): Promise<boolean> {
    return Promise.resolve(this.#threads.has(threadId));
  }

  #read(key: string): unknown {
    const known = this.#values.get(key);
    if (known === undefined) return null;
    if (known.until > Date.now()) return known.value;
    this.#values.delete(key);
    return null;
  }

  /** The token of a lock that is held. */
  #holder(threadId: string): string | null {
    const lock = this.#read(lockKey(threadId));
    return typeof lock === 'object' && lock !== null && 'token' in lock ? String(lock.token) : null;
  }

  #list(key: string): unknown[] {
    const list = this.#read(key);
    return Array.isArray(list) ? list : [];
  }
}

const lockKey = (threadId: string): string => `lock:${threadId}`;
