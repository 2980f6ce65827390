import * as v from 'valibot';
import type { EngineError, EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { parseRetryAfter } from '#server/platform/outbound/retry.ts';
import type { WaitClock } from './clock.ts';
import type { Cloud } from './clouds.ts';
import { readFailure } from './errors.ts';
import type { GraphFailure } from './errors.ts';
import type { Governor, Lane, Pace, WaitingCall } from './governor.ts';
import { graphMessages as t } from './messages.en.ts';
import { joinBytes } from '../join-bytes.ts';
import { failed, type Failed } from '../../result.ts';

/** Sends a request. Rejects if there is no response; follows no redirect. */
export type Fetch = (request: Request) => Promise<Response>;

/** Access tokens of an application, or of a person who signed in. */
export interface TokenSource {
  get(signal: AbortSignal): Reply<string>;
  /** Graph no longer accepts this token: the next `get` returns another one. */
  forget(token: string): void;
}

/** What the client needs of the world. One for each application of a tenant. */
export interface GraphPorts {
  readonly fetch: Fetch;
  readonly cloud: Cloud;
  readonly tokens: TokenSource;
  readonly governor: Governor;
  readonly clock: WaitClock;
  readonly random: () => number;
  /** `ISV|Company|Product/version`, as Microsoft asks for. */
  readonly userAgent: string;
}

/** Whose limits the requests count for, how to stop them, and where waits are reported. */
export interface GraphScope extends WaitingCall {
  readonly lane: Lane;
}

export interface GraphRequest<T> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Sends the token. False for links that carry their own. */
  readonly signed: boolean;
  /**
   * Whether a request may be sent again when nobody knows if the first one arrived. False for
   * requests that create something.
   */
  readonly isRepeatable: boolean;
  /** Statuses besides 2xx that `read` understands. */
  readonly accepts?: readonly number[];
  /** Time until the response begins, and without a piece of its body. */
  readonly timeoutMs?: Ms;
  /** Rejects if the body is cut; the request is sent again then. `onPiece`: for each piece of it. */
  read(response: Response, onPiece: () => void): Promise<EngineResult<T>>;
}

/** `code`: Graph's own. `restart`: where a listing begins again after `ended`. */
export type GraphResult<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly error: EngineError;
      readonly code?: string | null;
      readonly restart?: string | null;
    };

const TIMEOUT_MS: Ms = 100_000;
const MAX_THROTTLED = 12;
const MAX_FAILED = 5;
/** Of a response that is an error, or has nothing that is needed. */
const MAX_ERROR_BYTES: Bytes = 65_536;

/**
 * Sends a request until it has a result: waits when Graph throttles, repeats what failed on its way
 * and gets a new token if the old one is no longer accepted. Never throws for what the network or
 * Graph does.
 */
export async function sendRequest<T>(
  ports: GraphPorts,
  scope: GraphScope,
  request: GraphRequest<T>,
): Promise<GraphResult<T>> {
  const { governor, clock, tokens } = ports;
  let throttled = 0;
  let failed = 0;
  let renewed = false;
  let notBefore: Ms = 0;
  for (;;) {
    let token: string | null = null;
    if (request.signed) {
      const got = await tokens.get(scope.signal);
      if (!got.ok) return got;
      token = got.value;
    }
    const entry = await governor.enter(scope.lane, scope, notBefore);
    if (entry.type === 'stopped') return stopped();
    if (entry.type === 'busy') return tooLong(entry.waitMs);
    const attempt = await sendOnce(ports, scope, request, token);
    governor.leave(scope.lane, getPace(attempt, clock.now()));
    if (attempt.type === 'done') return attempt.result;
    if (scope.signal.aborted) return stopped();
    const { error, code, reaction } = attempt.failure;
    const failure = { ok: false as const, error, code, restart: getRestart(attempt.response) };
    switch (reaction) {
      case 'fail':
        return failure;
      case 'renew':
        if (token === null || renewed) return failure;
        renewed = true;
        tokens.forget(token);
        break;
      case 'throttle': {
        throttled += 1;
        const waitMs = governor.backOffMs(
          throttled,
          getRequestedWait(attempt.response, clock.now()),
        );
        if (throttled === MAX_THROTTLED) return { ...failure, error: { ...error, waitMs } };
        notBefore = clock.now() + waitMs;
        break;
      }
      case 'retry':
        failed += 1;
        if (!request.isRepeatable || failed === MAX_FAILED) return failure;
        notBefore = clock.now() + governor.backOffMs(failed, null);
        break;
    }
  }
}

type Attempt<T> =
  | { readonly type: 'done'; readonly result: GraphResult<T>; readonly response: Response }
  | { readonly type: 'failed'; readonly failure: GraphFailure; readonly response: Response | null };

async function sendOnce<T>(
  ports: GraphPorts,
  scope: GraphScope,
  request: GraphRequest<T>,
  token: string | null,
): Promise<Attempt<T>> {
  const { method, url, body, accepts = [], timeoutMs = TIMEOUT_MS } = request;
  let response: Response | null = null;
  const outcome = await inTime(ports.clock, scope.signal, timeoutMs, async (signal, renew) => {
    response = await ports.fetch(
      new Request(url, {
        method,
        headers: {
          'user-agent': ports.userAgent,
          ...request.headers,
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        redirect: 'manual',
        signal,
        ...(body === undefined ? {} : { body }),
      }),
    );
    if (response.ok || accepts.includes(response.status)) {
      return { ok: true as const, read: await request.read(response, renew) };
    }
    return { ok: false as const, failure: readFailure(response.status, await readError(response)) };
  });
  const answer: Response | null = response;
  if (outcome === 'timeout') return failedWith('unreachable', 'timeout', answer);
  if (outcome === 'lost') return failedWith('unreachable', 'unreachable', answer);
  if (outcome.ok && answer !== null)
    return { type: 'done', result: outcome.read, response: answer };
  return outcome.ok
    ? failedWith('unreachable', 'unreachable', null)
    : { type: 'failed', failure: outcome.failure, response: answer };
}

const failedWith = (
  kind: 'unreachable',
  message: 'timeout' | 'unreachable',
  response: Response | null,
): { type: 'failed'; failure: GraphFailure; response: Response | null } => ({
  type: 'failed',
  failure: { error: { kind, message: t[message] }, reaction: 'retry', code: null },
  response,
});

/**
 * Runs until done. `timeout` and `lost`: the time is over, or it failed or was stopped. What
 * continues calls `renew`: it has the time again, and what stalls ends after once to twice of it.
 */
export async function inTime<T>(
  clock: WaitClock,
  outer: AbortSignal,
  timeoutMs: Ms,
  run: (signal: AbortSignal, renew: () => void) => Promise<T>,
): Promise<T | 'timeout' | 'lost'> {
  const stop = new AbortController();
  const isOver = new AbortController();
  let isLate = false;
  const abort = (): void => {
    stop.abort();
  };
  const aborted = new Promise<'lost'>((resolve) => {
    stop.signal.addEventListener('abort', () => {
      resolve('lost');
    });
  });
  outer.addEventListener('abort', abort);
  if (outer.aborted) abort();
  let isRenewed = false;
  const expire = async (): Promise<void> => {
    do {
      isRenewed = false;
      await clock.sleep(timeoutMs, isOver.signal);
    } while (isRenewed && !isOver.signal.aborted);
    isLate = !isOver.signal.aborted;
    if (isLate) abort();
  };
  void expire();
  const renew = (): void => {
    isRenewed = true;
  };
  try {
    const first = await Promise.race([
      run(stop.signal, renew).catch(() => 'lost' as const),
      aborted,
    ]);
    return first === 'lost' && isLate ? 'timeout' : first;
  } finally {
    outer.removeEventListener('abort', abort);
    isOver.abort(OVER);
  }
}

/** Without a reason, each abort makes an error with a stack, for each request. */
const OVER = 'over';

const stopped = (): Failed => failed('ended', t.stopped);
const tooLong = (waitMs: Ms): Failed => failed('busy', t.throttled, { waitMs });

function getPace<T>(attempt: Attempt<T>, now: Ms): Pace {
  const headers = attempt.response?.headers ?? null;
  const throttled = attempt.type === 'failed' && attempt.failure.reaction === 'throttle';
  return {
    throttled,
    throttledMs: throttled ? getRequestedWait(attempt.response, now) : null,
    everywhere: /^(?:tenant|application)/i.test(headers?.get('x-ms-throttle-scope') ?? ''),
    headers,
  };
}

const getRequestedWait = (response: Response | null, now: Ms): Ms | null =>
  response === null ? null : parseRetryAfter(response.headers.get('retry-after'), now);

const getRestart = (response: Response | null): string | null =>
  response?.status === 410 ? response.headers.get('location') : null;

async function readError(response: Response): Promise<unknown> {
  const text = await readText(response, MAX_ERROR_BYTES);
  try {
    return text === null ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

/** Returns the body as text; null if it is larger. Rejects if it is cut. */
async function readText(
  response: Response,
  maxBytes: Bytes,
  onPiece?: () => void,
): Promise<string | null> {
  const bytes = await readResponseBytes(response, maxBytes, onPiece);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

/** Returns the body; null if it is larger. Rejects if it is cut. */
export async function readResponseBytes(
  response: Response,
  maxBytes: Bytes,
  onPiece: () => void = () => undefined,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    onPiece();
    bytes += part.byteLength;
    if (bytes > maxBytes) return null;
    parts.push(part);
  }
  const whole = response.headers.get('content-length');
  if (
    whole !== null &&
    response.headers.get('content-encoding') === null &&
    Number(whole) !== bytes
  )
    throw new Error('The body is cut.');
  return joinBytes(parts);
}

/**
 * Reads a response whose body says nothing, so that its connection serves the next request. Rejects if
 * it is cut.
 */
export async function skipBody(response: Response): Promise<void> {
  await readResponseBytes(response, MAX_ERROR_BYTES);
}

/** Reads JSON and checks its form. Rejects if it is cut, so that the request is repeated. */
export async function readResponseJson<S extends v.GenericSchema>(
  response: Response,
  schema: S,
  maxBytes: Bytes,
  onPiece?: () => void,
): Promise<EngineResult<v.InferOutput<S>>> {
  const text = await readText(response, maxBytes, onPiece);
  if (text === null) return failed('invalid', t.tooLarge);
  const read = v.safeParse(schema, text === '' ? null : (JSON.parse(text) as unknown), {
    abortEarly: true,
  });
  return read.success ? { ok: true, value: read.output } : failed('internal', t.unreadable);
}
