import ky from 'ky';
import * as v from 'valibot';
import type { CallName, OutputOf, InputOf } from '#contract/calls.ts';
import { callOf } from '#contract/calls.ts';
import type { Day } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { COMMAND_HEADERS } from '#contract/sync/calls.ts';
import type { WorkerClock } from '#workers/context.ts';
import { NO_ANSWER, NOT_SENT, readAnswer, readFailure } from './answer.ts';
import { withinSilence } from './silence.ts';
import type { Tokens } from './tokens.ts';

/**
 * The HTTP client of the worker. Nothing of it throws: silence, garbage and refusals all come out
 * as failures (SYNC-8).
 */
export interface Wire {
  /** One call, its answer checked by the contract. */
  ask<N extends CallName>(
    name: N,
    input: InputOf<N>,
    command?: CommandHeaders,
  ): Promise<Result<OutputOf<N>>>;
  /**
   * The same, unchecked: for who reads an answer part by part. `loose` input: as it was kept on
   * disk.
   */
  raw(name: CallName, input: unknown, command?: CommandHeaders): Promise<Result<unknown>>;
  /** A file that the server makes, by the name that it gives. */
  file(
    name: CallName,
    input: unknown,
  ): Promise<Result<{ readonly name: string; readonly file: Blob }>>;
  /** The framed pages of a day, and their tag where there is one. */
  runsOfDay(day: Day): Promise<Result<DayBytes>>;
  /** The open stream of pokes; it ends when `signal` says so. */
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
  // ky builds the requests; its own retries and time-outs stand aside for the machine's back-off
  // and the injected clock.
  const http = ky.create({
    fetch,
    prefix: `${origin}/api/v1`,
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    credentials: 'same-origin',
    cache: 'no-store',
  });

  function once<T>(
    name: CallName,
    input: unknown,
    token: string | null,
    how: How,
    read: (response: Response) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    return withinSilence(
      clock,
      async (signal) => {
        let handedOver = false;
        const send: typeof fetch = (request, init) => {
          handedOver = true;
          return fetch(request, init);
        };
        let response;
        try {
          const { path, options } = requestOf(name, input, token, how.command);
          response = await http(path, { ...options, fetch: send, signal });
        } catch (fault) {
          if (handedOver || signal.aborted) throw fault;
          return failed(NOT_SENT);
        }
        return read(response);
      },
      how.signal,
    );
  }

  /** With the session's token; one that has just ended is renewed once, and the call made again. */
  async function signed<T>(
    name: CallName,
    input: unknown,
    how: How,
    read: (response: Response) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    if (callOf(name).gate === 'public') return once(name, input, null, how, read);
    const token = await tokens.get(null);
    if (!token.ok) return token;
    const first = await once(name, input, token.value, how, read);
    if (first.ok || (first.failure.kind !== 'expired' && first.failure.kind !== 'signed-out'))
      return first;
    const renewed = await tokens.get(token.value);
    if (!renewed.ok) return renewed;
    const second = await once(name, input, renewed.value, how, read);
    // The session was just renewed: whoever says that it is over is not the server that holds it (a
    // proxy, a node that lags).
    return !second.ok && (second.failure.kind === 'expired' || second.failure.kind === 'signed-out')
      ? failed(NO_ANSWER)
      : second;
  }

  const newest = new Map<CallName, AbortController>();
  const raw: Wire['raw'] = (name, input, command) => {
    const how: { command?: CommandHeaders; signal?: AbortSignal } = command ? { command } : {};
    if (callOf(name).newestOnly) {
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
      const { output } = callOf(name);
      if (typeof output === 'string') return failed(NO_ANSWER);
      const parsed = v.safeParse(output, answer.value);
      return parsed.success ? ok(parsed.output as OutputOf<N>) : failed(NO_ANSWER);
    },
    file: (name, input) =>
      signed(name, input, {}, async (response) => {
        if (!response.ok) return failed(await readFailure(name, response, clock.now()));
        // A page of a proxy is no file of ours: ours comes with its name.
        const named = /filename="([\w.-]+)"/.exec(
          response.headers.get('content-disposition') ?? '',
        )?.[1];
        return named === undefined
          ? failed(NO_ANSWER)
          : ok({ name: named, file: await response.blob() });
      }),
    runsOfDay: (day) =>
      signed('runsOfDay', { day }, {}, async (response) =>
        response.ok
          ? ok({
              bytes: await response.arrayBuffer(),
              tag: response.headers.get('etag')?.replace(/^W\//, '') ?? null,
            })
          : failed(await readFailure('runsOfDay', response, clock.now())),
      ),
    stream: (signal) =>
      signed('stream', {}, { signal }, async (response) => {
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

/** Where a call goes and what it carries. Throws where that cannot be written down. */
function requestOf(
  name: CallName,
  input: unknown,
  token: string | null,
  command: CommandHeaders | undefined,
) {
  const call = callOf(name);
  const { path, rest } = placed(call.path, input);
  const headers = {
    'daybook-client': '1',
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(command && headersOf(command)),
  };
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

/** Puts what `{…}` of a path names into it; the rest goes to the query or the body. */
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

const headersOf = ({ key, device, order }: CommandHeaders): Record<string, string> => ({
  [COMMAND_HEADERS.key]: key,
  [COMMAND_HEADERS.device]: device,
  [COMMAND_HEADERS.order]: String(order),
});
