import ky from 'ky';
import * as v from 'valibot';
import type { CallName, OutputOf, InputOf } from '#contract/calls.ts';
import { getCall } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Day } from '#contract/ids.ts';
import { PROTOCOL } from '#contract/limits.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { COMMAND_HEADERS } from '#contract/sync/calls.ts';
import type { WorkerClock } from '#workers/context.ts';
import { NO_ANSWER, NOT_SENT } from '#workers/failures.ts';
import { readAnswer, readFailure } from './answer.ts';
import { SLOW_SILENCE_MS, withinSilence } from './silence.ts';
import type { Tokens } from './tokens.ts';

/**
 * The HTTP client of the worker. It never throws: timeouts, garbage and refusals are returned as
 * failures (SYNC-8).
 */
export interface Wire {
  /** Makes one call and checks its answer by the contract. */
  ask<N extends CallName>(
    name: N,
    input: InputOf<N>,
    command?: CommandHeaders,
  ): Promise<Result<OutputOf<N>>>;
  /**
   * The same without the check, for callers that read an answer part by part. `loose` input: as
   * stored on disk.
   */
  raw(name: CallName, input: unknown, command?: CommandHeaders): Promise<Result<unknown>>;
  /** Fetches a file made by the server, with its file name. */
  file(
    name: CallName,
    input: unknown,
  ): Promise<Result<{ readonly name: string; readonly file: Blob }>>;
  /** Fetches the framed pages of a day, and their tag if there is one. */
  getDayRuns(day: Day): Promise<Result<DayBytes>>;
  /** Opens the stream of pokes; it ends when `signal` aborts. */
  stream(signal: AbortSignal): Promise<Result<ReadableStream<Uint8Array>>>;
}
interface DayBytes {
  readonly bytes: ArrayBuffer;
  readonly tag: string | null;
}
export interface CommandHeaders {
  readonly key: string;
  readonly device: string;
  readonly order: number;
}

export interface WireNeeds {
  readonly fetch: typeof fetch;
  readonly origin: string;
  readonly clock: WorkerClock;
  readonly tokens: Tokens;
}

interface How {
  readonly command?: CommandHeaders;
  readonly signal?: AbortSignal;
}

export function makeWire({ fetch, origin, clock, tokens }: WireNeeds): Wire {
  const http = ky.create({
    fetch,
    prefix: `${origin}/api/v1`,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { 'daybook-client': '1' },
    // A refusal is an answer, and is read like one.
    throwHttpErrors: false,
    // Calls end by the injected clock: see `withinSilence`.
    timeout: false,
    // Only what a hook repeats: everything else waits for the back-off of the sync machine.
    retry: { limit: 1, methods: [] },
  });

  /** Makes one call. If its token has just expired, renews it and repeats the call once. */
  async function signed<T>(
    name: CallName,
    input: unknown,
    how: How,
    read: (response: Response) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const first = getCall(name).gate === 'public' ? ok(null) : await tokens.get(null);
    if (!first.ok) return first;
    let token = first.value;
    const authorize = ({ request }: { readonly request: Request }): void => {
      if (token !== null) request.headers.set('authorization', `Bearer ${token}`);
    };
    return withinSilence(
      clock,
      async (signal, timeout) => {
        let handedOver = false;
        let response;
        try {
          const { path, options } = getRequest(name, input, how.command);
          response = await http(path, {
            ...options,
            signal,
            fetch: (request, init) => {
              handedOver = true;
              return fetch(request, init);
            },
            hooks: {
              beforeRequest: [authorize],
              afterResponse: [
                async ({ response: refused, retryCount }) => {
                  if (token === null || refused.ok || retryCount > 0) return undefined;
                  const failure = await readFailure(name, refused.clone(), clock.now());
                  if (!isSessionOver(failure)) return undefined;
                  timeout.pause();
                  const renewed = await tokens.get(token);
                  if (!renewed.ok) throw new NotRenewed(renewed.failure);
                  token = renewed.value;
                  timeout.restart();
                  return ky.retry({ delay: 0, code: 'TOKEN_RENEWED' });
                },
              ],
              beforeRetry: [authorize],
            },
          });
        } catch (error) {
          if (error instanceof NotRenewed) return failed(error.failure);
          if (handedOver || signal.aborted) throw error;
          return failed(NOT_SENT);
        }
        const result = await read(response);
        // The session was just renewed, so an answer that it has ended doesn't come from the server
        // that owns it (a proxy, a node that lags).
        return token !== first.value && !result.ok && isSessionOver(result.failure)
          ? failed(NO_ANSWER)
          : result;
      },
      how.signal,
      getCall(name).isSlow ? SLOW_SILENCE_MS : undefined,
    );
  }

  const newest = new Map<CallName, AbortController>();
  const raw: Wire['raw'] = (name, input, command) => {
    const how: { command?: CommandHeaders; signal?: AbortSignal } = command ? { command } : {};
    if (getCall(name).newestOnly) {
      newest.get(name)?.abort();
      const stop = new AbortController();
      newest.set(name, stop);
      how.signal = stop.signal;
    }
    return signed(name, input, how, (response) => readAnswer(name, response, clock.now()));
  };
  return {
    raw,
    async ask<N extends CallName>(
      name: N,
      input: InputOf<N>,
      command?: CommandHeaders,
    ): Promise<Result<OutputOf<N>>> {
      const answer = await raw(name, input, command);
      if (!answer.ok) return answer;
      const { output } = getCall(name);
      if (typeof output === 'string') return failed(NO_ANSWER);
      const parsed = v.safeParse(output, answer.value);
      return parsed.success ? ok(parsed.output as OutputOf<N>) : failed(NO_ANSWER);
    },
    file: (name, input) =>
      signed(name, input, {}, async (response) => {
        if (!response.ok) return failed(await readFailure(name, response, clock.now()));
        // A proxy's page has no file name, our file has one.
        const named = /filename="([\w.-]+)"/.exec(
          response.headers.get('content-disposition') ?? '',
        )?.[1];
        return named === undefined
          ? failed(NO_ANSWER)
          : ok({ name: named, file: await response.blob() });
      }),
    getDayRuns: (day) =>
      signed('getDayRuns', { day }, {}, async (response) =>
        response.ok
          ? ok({
              bytes: await response.arrayBuffer(),
              tag: response.headers.get('etag')?.replace(/^W\//, '') ?? null,
            })
          : failed(await readFailure('getDayRuns', response, clock.now())),
      ),
    stream: (signal) =>
      signed('stream', { protocol: String(PROTOCOL) }, { signal }, async (response) => {
        if (
          response.ok &&
          response.body &&
          response.headers.get('content-type')?.startsWith('text/event-stream')
        )
          return ok(response.body);
        return failed(response.ok ? NO_ANSWER : await readFailure('stream', response, clock.now()));
      }),
  };
}

const isSessionOver = ({ kind }: Failure): boolean => kind === 'expired' || kind === 'signed-out';

/** The token of a call could not be renewed. */
class NotRenewed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Returns the URL of a call and its request. Throws if the input can't be serialized. */
function getRequest(name: CallName, input: unknown, command: CommandHeaders | undefined) {
  const call = getCall(name);
  const { path, rest } = placed(call.path, input);
  const headers = command ? getHeaders(command) : {};
  const inQuery = call.method === 'GET' || call.method === 'DELETE';
  return {
    path,
    options: {
      method: call.method,
      headers,
      ...(inQuery ? { searchParams: rest as Record<string, string> } : { json: rest }),
    },
  };
}

/** Fills the `{…}` parts of a path; the rest goes to the query or the body. */
function placed(
  path: string,
  input: unknown,
): { readonly path: string; readonly rest: Readonly<Record<string, unknown>> } {
  const rest: Record<string, unknown> =
    typeof input === 'object' && input !== null ? { ...input } : {};
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(typeof value === 'string' || typeof value === 'number' ? value : '');
  });
  return { path: filled, rest };
}

const getHeaders = ({ key, device, order }: CommandHeaders): Record<string, string> => ({
  [COMMAND_HEADERS.key]: key,
  [COMMAND_HEADERS.device]: device,
  [COMMAND_HEADERS.order]: String(order),
});
