import type { DeviceId, Ms } from '#contract/ids.ts';
import type { StoredProfile, Profiles } from './disk/profiles.ts';
import type { Disk, ColumnStore } from './types.ts';

/**
 * The worker's access to the outside world. Tests pass their own. In the worker, only `worker.ts`
 * reads globals.
 */
export interface WorkerContext {
  readonly clock: WorkerClock;
  readonly chance: WorkerChance;
  readonly fetch: typeof fetch;
  /** `https://portal.example`: pages and API share one origin (BRAND-12). */
  readonly origin: string;
  /**
   * Rejects with `DiskError` if the browser refuses; then everything stays in memory until the page
   * closes.
   */
  readonly openRegister: () => Promise<Profiles>;
  readonly openDisk: (profile: StoredProfile, register: Profiles) => Promise<Disk>;
  readonly memoryDisk: (device: DeviceId) => Disk;
  /** Returns whether the browser promised to keep the data; false if it may still evict it. */
  readonly persist: () => Promise<boolean>;
  readonly makeEngine: () => ColumnStore;
  readonly locks: Locks;
  readonly channel: (name: string) => Channel;
  /**
   * Calls `listener` when the browser reports a network again, or none any more. Only a hint:
   * everything works without it.
   */
  readonly onNetworkChange: (listener: () => void) => () => void;
  /** False if the browser reports that there is no network. */
  readonly isOnline: () => boolean;
}

export interface WorkerClock {
  now(): Ms;
  /** Returns a function that cancels it. */
  after(ms: Ms, work: () => void): () => void;
}

export interface WorkerChance {
  /** 0 ≤ x < 1 */ fraction(): number;
  uuid(): string;
  /** Names a request: another one each time, on every device (SYNC-24). */ mark(): string;
}

/**
 * Web Locks, as far as the leader election needs them: `work` runs while this tab holds the lock.
 * The lock ends when its promise does.
 */
export type Locks = (name: string, signal: AbortSignal, work: () => Promise<void>) => Promise<void>;

/** A BroadcastChannel: messages reach the other tabs, never this one. */
export interface Channel {
  post(message: unknown): void;
  listen(listener: (message: unknown) => void): void;
  close(): void;
}
