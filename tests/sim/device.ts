import { makeEngine } from '#workers/columns/engine.ts';
import { memoryDisk } from '#workers/disk/disk.ts';
import type { StoredProfile, Profiles } from '#workers/disk/profiles.ts';
import { createWorkerApi } from '#workers/queries/live-queries.ts';
import type { Disk } from '#workers/types.ts';
import type { Channel, WorkerClock, WorkerContext } from '#workers/context.ts';
import type { makeChance } from './random.ts';
import type { TestClock } from './clock.ts';
import { TENANT } from './answers.ts';
import type { SimWire } from './wire.ts';

/**
 * A browser: one disk, one register, any number of tabs, each with the real worker.
 */
export class SimDevice<Wire extends Pick<SimWire, 'fetch'> = SimWire> {
  readonly wire: Wire;
  readonly disk: Disk;
  readonly context: WorkerContext;
  readonly #clock: TestClock;
  readonly #channels = new Map<
    string,
    Set<{ readonly listeners: ((message: unknown) => void)[] }>
  >();
  readonly #held: StoredProfile;
  #isOnline = true;
  readonly #networkListeners = new Set<() => void>();
  #present: boolean;
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(
    clock: TestClock,
    chance: ReturnType<typeof makeChance>,
    wire: Wire,
    user: { readonly me: { readonly id: string } },
    signedIn = true,
    tenant = TENANT,
    own: WorkerClock = clock,
  ) {
    this.wire = wire;
    this.#clock = clock;
    this.disk = memoryDisk(chance.uuid());
    this.#present = signedIn;
    // Memory needs no keys; everything else of the register is as the browser's.
    this.#held = {
      key: {},
      outboxKey: {},
      tenant,
      user: user.me.id,
      actor: user.me.id,
      device: this.disk.device,
      offlineUntil: own.now() + 7 * 86_400_000,
    } as unknown as StoredProfile;
    this.context = {
      clock: own,
      chance,
      fetch: wire.fetch,
      origin: 'http://daybook.test',
      makeEngine,
      openRegister: () => Promise.resolve(this.#register()),
      openDisk: () => Promise.resolve(this.disk),
      memoryDisk: () => this.disk,
      persist: () => Promise.resolve(true),
      locks: (name, signal, work) => this.#lock(name, signal, work),
      channel: (name) => this.#channel(name),
      onNetworkChange: (listener) => {
        this.#networkListeners.add(listener);
        return () => this.#networkListeners.delete(listener);
      },
      isOnline: () => this.#isOnline,
    };
  }

  /** What the browser reports about its network. It doesn't change the wire. */
  reportNetwork(isOnline: boolean): void {
    this.#isOnline = isOnline;
    for (const listener of this.#networkListeners) listener();
  }

  open(): ReturnType<typeof createWorkerApi> {
    return createWorkerApi(this.context);
  }

  /** The tab is gone at once, as when a browser is killed: its lock goes to the next. */
  kill(api: ReturnType<typeof createWorkerApi>): void {
    api.session.loop?.stop();
  }

  #register(): Profiles {
    return {
      current: (now) =>
        Promise.resolve(
          !this.#present
            ? { kind: 'none' }
            : now < this.#held.offlineUntil
              ? { kind: 'in', profile: this.#held }
              : { kind: 'expired', owner: this.#held, offlineUntil: this.#held.offlineUntil },
        ),
      enter: () => {
        this.#present = true;
        return Promise.resolve(this.#held);
      },
      extend: () => Promise.resolve(),
      leave: () => {
        this.#present = false;
        return Promise.resolve();
      },
      close: () => {},
    };
  }

  async #lock(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const line = this.#waiting.get(name) ?? [];
    this.#waiting.set(name, line);
    await new Promise<void>((resolve) => {
      line.push(resolve);
      if (line.length === 1) resolve();
    });
    try {
      if (!signal.aborted) await work();
    } finally {
      line.shift();
      line[0]?.();
    }
  }

  #channel(name: string): Channel {
    const all = this.#channels.get(name) ?? new Set();
    this.#channels.set(name, all);
    const mine: { readonly listeners: ((message: unknown) => void)[] } = { listeners: [] };
    all.add(mine);
    return {
      post: (message) => {
        const copy = structuredClone(message);
        this.#clock.after(1, () => {
          for (const one of all)
            if (one !== mine) for (const listener of one.listeners) listener(copy);
        });
      },
      listen: (listener) => {
        mine.listeners.push(listener);
      },
      close: () => {
        all.delete(mine);
      },
    };
  }
}
