import type { EngineResult } from '#contract/engine/engine.ts';
import type { Waiting } from '#contract/engine/sessions.ts';
import { graphClient } from '#server/engine/embedded/graph/client.ts';
import type { GraphClient } from '#server/engine/embedded/graph/client.ts';
import type { WaitClock } from '#server/engine/embedded/graph/clock.ts';
import { CLOUDS } from '#server/engine/embedded/graph/clouds.ts';
import { Governor } from '#server/engine/embedded/graph/governor.ts';
import type { Lane } from '#server/engine/embedded/graph/governor.ts';
import type { Fetch, GraphPorts, TokenSource } from '#server/engine/embedded/graph/request.ts';

/** A clock that jumps to the next wake-up when nothing else is going on. Nobody really waits. */
export interface TestClock extends WaitClock {
  /** While it runs, time stands still. */
  busy<T>(work: () => Promise<T>): Promise<T>;
  /** How long everybody slept in total, one after another. */
  readonly slept: number[];
}

export function testClock(start = Date.UTC(2026, 9, 1)): TestClock {
  let now = start;
  let running = 0;
  let isPumping = false;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  const slept: number[] = [];
  const pump = (): void => {
    if (isPumping) return;
    isPumping = true;
    // Some turns of the loop, so that all that can go on without time has gone on.
    const turn = (left: number): void => {
      if (running > 0) return void setImmediate(turn, 3);
      if (left > 0) return void setImmediate(turn, left - 1);
      isPumping = false;
      const next = [...sleepers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined) return;
      now = Math.max(now, next.at);
      next.wake();
      pump();
    };
    setImmediate(turn, 3);
  };
  return {
    slept,
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const wake = (): void => {
          signal.removeEventListener('abort', wake);
          sleepers.delete(sleeper);
          resolve();
        };
        const sleeper = { at: now + ms, wake };
        slept.push(ms);
        signal.addEventListener('abort', wake);
        sleepers.add(sleeper);
        pump();
      }),
    async busy(work) {
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
      }
    },
  };
}

/** Numbers from a seed: mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface JsonInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}
export const json = (body: unknown, init: JsonInit = {}): Response =>
  new Response(JSON.stringify(body), {
    ...init,
    headers: { ...init.headers, 'content-type': 'application/json' },
  });
export const graphError = (status: number, code: string, headers: Record<string, string> = {}) =>
  json({ error: { code, message: 'planted-message' } }, { status, headers });

/** A request that never gets a response. */
export const silence = (): Promise<Response> => new Promise(() => undefined);
/** A connection that breaks. */
export const broken = (): Promise<Response> => Promise.reject(new Error('planted-socket-error'));
/** A body that breaks off after some bytes. */
export const cutBody = (bytes: Uint8Array, after: number): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      if (after > 0) controller.enqueue(bytes.subarray(0, after));
    },
    pull(controller) {
      controller.error(new Error('planted-cut'));
    },
  });

export interface TestGraph {
  readonly ports: GraphPorts;
  readonly client: GraphClient;
  readonly clock: TestClock;
  readonly requests: Request[];
  readonly waits: (Waiting | null)[];
  readonly stop: AbortController;
  clientFor(lane: Lane): GraphClient;
}

/** A client whose requests `answer` answers. */
export function testGraph(
  answer: (request: Request, n: number) => Response | Promise<Response>,
  over: Partial<GraphPorts> & { clock?: TestClock; start?: number } = {},
): TestGraph {
  const clock = over.clock ?? testClock(over.start);
  const random = over.random ?? seeded(1);
  const requests: Request[] = [];
  const fetch: Fetch = async (request) => {
    requests.push(request);
    return answer(request, requests.length);
  };
  const ports: GraphPorts = {
    fetch,
    cloud: CLOUDS.Worldwide,
    tokens: getTokens(['planted-token']),
    governor: new Governor({ clock, random }),
    random,
    userAgent: 'ISV|Harbour|Daybook/1',
    ...over,
    clock,
  };
  const waits: (Waiting | null)[] = [];
  const stop = new AbortController();
  const clientFor = (lane: Lane): GraphClient =>
    graphClient(ports, {
      lane,
      signal: stop.signal,
      onWaiting: (waiting) => {
        waits.push(waiting);
      },
    });
  return {
    ports,
    clock,
    requests,
    waits,
    stop,
    clientFor,
    client: clientFor({ service: 'mailbox', object: 'ada' }),
  };
}

/** Returns these tokens one after another: the next one when the last is forgotten. */
export function getTokens(
  tokens: readonly string[],
): TokenSource & { readonly forgotten: string[] } {
  const forgotten: string[] = [];
  return {
    forgotten,
    get: async () => ({
      ok: true,
      value: tokens[Math.min(forgotten.length, tokens.length - 1)] ?? '',
    }),
    forget: (token) => {
      forgotten.push(token);
    },
  };
}

/** The value, or a failed test with the error. */
export function getValue<T>(result: EngineResult<T>): T {
  if (result.ok) return result.value;
  throw new Error(`${result.error.kind}: ${result.error.message}`);
}
/** Nothing that was planted in requests and responses may be in an error. */
export const hasPlanted = (value: unknown): boolean => JSON.stringify(value).includes('planted');
