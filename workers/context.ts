import type { DeviceId, Ms } from '#contract/ids.ts';
import type { StoredProfile, Profiles } from './disk/profiles.ts';
import type { Disk, Engine } from './types.ts';

/**
 * What the outside is to the worker: given once, so that tests give another. Nothing of this room
 * but `worker.ts` reads a global.
 */
export interface WorkerContext {
  readonly clock: WorkerClock;
  readonly chance: WorkerChance;
  readonly fetch: typeof fetch;
  /** `https://portal.example`: pages and API come from one origin (A1). */
  readonly origin: string;
  /** `DiskFault` where the browser refuses: then everything lives in memory until it closes. */
  readonly openRegister: () => Promise<Profiles>;
  readonly openDisk: (held: StoredProfile, register: Profiles) => Promise<Disk>;
  readonly memoryDisk: (device: DeviceId) => Disk;
  /** Whether the browser promised to keep the data; false where it may still throw it away. */
  readonly persist: () => Promise<boolean>;
  readonly makeEngine: () => Engine;
  readonly locks: Locks;
  readonly channel: (name: string) => Channel;
  /** Told when the device says that it has a network again. A hint: everything works without it. */
  readonly onOnline: (listener: () => void) => () => void;
}

export interface WorkerClock {
  now(): Ms;
  /** Answers how to call it off. */
  after(ms: Ms, work: () => void): () => void;
}

export interface WorkerChance {
  /** 0 ≤ x < 1 */ fraction(): number;
  uuid(): string;
}

/**
 * Web Locks, as far as the leader needs them: `work` runs while this tab holds the lock, which ends
 * when its promise does.
 */
export type Locks = (name: string, signal: AbortSignal, work: () => Promise<void>) => Promise<void>;

/** A BroadcastChannel: what is posted reaches the other tabs, never this one. */
export interface Channel {
  post(message: unknown): void;
  listen(listener: (message: unknown) => void): void;
  close(): void;
}
