import type { Waiting } from '#contract/engine/sessions.ts';
import type { Ms } from '#contract/ids.ts';
import type { WaitClock } from './clock.ts';
import { graphMessages as t } from './messages.en.ts';

/** Parts of Microsoft 365 with limits of their own. */
export type GraphService = 'directory' | 'mailbox' | 'drive' | 'team';

/** What a request counts for: an object (a mailbox, a drive) of a service. */
export interface Lane {
  readonly service: GraphService;
  readonly object: string;
}
/** Who waits, how to stop waiting, and where to report it. */
export interface WaitingCall {
  readonly signal: AbortSignal;
  onWaiting(waiting: Waiting | null): void;
}

/** How many requests run at once: for one object, and for all objects of the service. */
interface Limits {
  readonly perObject: number;
  readonly inTotal: number;
  /** The time between two requests for one object; absent: none. */
  readonly spacingMs?: Ms;
}
/** Where Microsoft's pages differ, the lower number: a 429 corrects what is still too high. */
const LIMITS: Readonly<Record<GraphService, Limits>> = {
  directory: { perObject: 4, inTotal: 4 },
  mailbox: { perObject: 4, inTotal: 16 },
  drive: { perObject: 4, inTotal: 16 },
  // Four requests per second for each team.
  team: { perObject: 4, inTotal: 16, spacingMs: 250 },
};
const FIRST_WAIT_MS: Ms = 1_000;
const LONGEST_WAIT_MS: Ms = 300_000;
/** Waits up to this are waited for: the longest of our own, and Graph's with jitter. */
const PATIENCE_MS: Ms = 330_000;
/** Requests without a 429 after which one more may run at once. */
const GROWTH = 20;
/** The share of a quota that is left when requests are spread out. */
const SLOW_BELOW = 0.2;
/** Shorter pauses are not reported. */
const REPORTED_MS: Ms = 1_000;
const JITTER = 0.1;

type Entry =
  | { readonly type: 'entered' }
  | { readonly type: 'stopped' }
  | { readonly type: 'busy'; readonly waitMs: Ms };

/** What a response says about limits. `throttledMs`: the wait that was asked for; null: none named. */
export interface Pace {
  readonly throttled: boolean;
  readonly throttledMs: Ms | null;
  /** Limits of the whole application, not only of the object. */
  readonly everywhere: boolean;
  readonly headers: Headers | null;
}

/** What a request for an object can expect now. `pausedMs`: until requests are sent again. */
export interface CurrentLimit {
  /** How many requests run at once. */
  readonly concurrent: number;
  readonly pausedMs: Ms;
}

/**
 * The rate limiter of one application in one tenant. All requests to Graph go through it: it limits
 * how many run at once, halves that when Graph throttles, grows slowly, and pauses for as long as
 * Graph asks. A request that waits for a pause holds no place (ENG-9).
 */
export class Governor {
  readonly #clock: WaitClock;
  readonly #random: () => number;
  readonly #lanes = new Map<string, Gate>();
  readonly #services = new Map<GraphService, Gate>();
  readonly #queue: Waiter[] = [];

  constructor({ clock, random }: { clock: WaitClock; random: () => number }) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Waits for a place, and not before `notBefore`. After `entered` the caller must `leave`. `busy`:
   * the wait is so long that the caller should give up its lease and come back (ENG-9).
   */
  async enter(lane: Lane, call: WaitingCall, notBefore: Ms = 0): Promise<Entry> {
    // A pause that was waited for is over, also if the clock was set back meanwhile.
    let reached: Ms = 0;
    for (;;) {
      if (call.signal.aborted) {
        this.#wake();
        return { type: 'stopped' };
      }
      const gates = this.#gates(lane);
      const until = Math.max(notBefore, ...gates.map((gate) => gate.pausedUntil));
      const waitMs = until <= reached ? 0 : until - this.#clock.now();
      if (waitMs > PATIENCE_MS) return { type: 'busy', waitMs };
      if (waitMs > 0) {
        await this.#pause(waitMs, until, call);
        reached = until;
      } else if (gates.every((gate) => gate.active < Math.floor(gate.limit))) {
        for (const gate of gates) gate.active += 1;
        const { spacingMs } = LIMITS[lane.service];
        if (spacingMs !== undefined) gates[0].pausedUntil = this.#clock.now() + spacingMs;
        return { type: 'entered' };
      } else await this.#turn(lane, call.signal);
    }
  }

  /** Returns the place, and learns from the response. */
  leave(lane: Lane, throttling: Pace): void {
    const [object, service] = this.#gates(lane);
    for (const gate of [object, service]) gate.active -= 1;
    const now = this.#clock.now();
    if (throttling.throttled) {
      for (const gate of throttling.everywhere ? [object, service] : [object]) {
        gate.limit = Math.max(1, gate.limit / 2);
        gate.good = 0;
        if (throttling.throttledMs !== null)
          gate.pausedUntil = Math.max(gate.pausedUntil, now + this.#later(throttling.throttledMs));
      }
    } else
      for (const gate of [object, service]) {
        gate.good += 1;
        if (gate.good % GROWTH === 0) gate.limit = Math.min(gate.max, gate.limit + 1);
      }
    const spreadMs = throttling.headers === null ? 0 : getRetryDelay(throttling.headers);
    if (spreadMs > 0) service.pausedUntil = Math.max(service.pausedUntil, now + spreadMs);
    if (object.active === 0 && object.limit === object.max && object.pausedUntil <= now)
      this.#lanes.delete(getKey(lane));
    this.#wake();
  }

  /** Returns what a lane is limited to now. A 429 halves its places and may pause it. */
  getLimit(lane: Lane): CurrentLimit {
    const { perObject, inTotal } = LIMITS[lane.service];
    const object = this.#lanes.get(getKey(lane));
    const service = this.#services.get(lane.service);
    const until = Math.max(object?.pausedUntil ?? 0, service?.pausedUntil ?? 0);
    return {
      concurrent: Math.floor(Math.min(object?.limit ?? perObject, service?.limit ?? inTotal)),
      pausedMs: Math.max(0, until - this.#clock.now()),
    };
  }

  /**
   * Returns how long a request waits after its n-th failure in a row: what Graph asked for, else
   * 2^n seconds up to five minutes, with jitter.
   */
  backOffMs(failures: number, requestedMs: Ms | null): Ms {
    if (requestedMs !== null) return this.#later(requestedMs);
    const max = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
    return Math.round(max * (0.5 + this.#random() / 2));
  }

  /** Never earlier than asked, and not everybody at the same moment. */
  #later(ms: Ms): Ms {
    return Math.round(ms * (1 + JITTER * this.#random()));
  }

  #gates(lane: Lane): readonly [Gate, Gate] {
    const { perObject, inTotal } = LIMITS[lane.service];
    return [
      getOrAdd(this.#lanes, getKey(lane), perObject),
      getOrAdd(this.#services, lane.service, inTotal),
    ];
  }

  async #pause(waitMs: Ms, until: Ms, call: WaitingCall): Promise<void> {
    const isReported = waitMs >= REPORTED_MS;
    if (isReported) call.onWaiting({ until, reason: t.throttled });
    await this.#clock.sleep(waitMs, call.signal);
    if (isReported) call.onWaiting(null);
  }

  /** Waits until a place may be free. */
  #turn(lane: Lane, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        const at = this.#queue.indexOf(waiter);
        if (at !== -1) this.#queue.splice(at, 1);
        resolve();
      };
      const waiter: Waiter = { lane, wake };
      this.#queue.push(waiter);
      signal.addEventListener('abort', wake);
    });
  }

  /** Starts the requests for which there is a slot now, the longest waiting first. */
  #wake(): void {
    const free = new Map<Gate, number>();
    const now = this.#clock.now();
    // Who is woken leaves the queue: a copy is walked.
    for (const waiter of this.#queue.slice()) {
      const gates = this.#gates(waiter.lane);
      if (gates.some((gate) => gate.pausedUntil > now)) {
        waiter.wake();
        continue;
      }
      const left = gates.map((gate) => free.get(gate) ?? Math.floor(gate.limit) - gate.active);
      if (left.some((places) => places < 1)) continue;
      gates.forEach((gate, n) => free.set(gate, (left[n] ?? 0) - 1));
      waiter.wake();
    }
  }
}

interface Waiter {
  readonly lane: Lane;
  wake(): void;
}
interface Gate {
  readonly max: number;
  limit: number;
  active: number;
  /** Responses without a 429 since the last one. */
  good: number;
  pausedUntil: Ms;
}

const getKey = ({ service, object }: Lane): string => `${service} ${object}`;

function getOrAdd<K>(gates: Map<K, Gate>, key: K, max: number): Gate {
  const found = gates.get(key) ?? { max, limit: max, active: 0, good: 0, pausedUntil: 0 };
  gates.set(key, found);
  return found;
}

/**
 * Returns how long to pause so that the rest of a quota lasts until it is renewed: `RateLimit-*` of
 * SharePoint, whose reset is in seconds. 0 while enough is left.
 */
function getRetryDelay(headers: Headers): Ms {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const value = headers.get(`ratelimit-${name}`);
    return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : null;
  });
  if (limit == null || remaining == null || reset == null) return 0;
  if (remaining >= limit * SLOW_BELOW) return 0;
  return Math.min(LONGEST_WAIT_MS, Math.round((reset * 1_000) / (remaining + 1)));
}
