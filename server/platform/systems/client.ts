import * as v from 'valibot';
import { parseRetryAfter } from '#server/platform/outbound/retry.ts';
import type { Credentials } from '#contract/connections/calls.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { OutboundError } from '../outbound/address.ts';
import { fetchOutbound, type OutboundInit } from '../outbound/fetch.ts';
import { readCertificate } from '../outbound/pinned-certificate.ts';
import { outboundMessages } from '../outbound/messages.en.ts';
import { getHttpsPlace, loadShownCertificate } from '../outbound/shown-certificate.ts';
import type { AppContext } from '../app-context.ts';
import { maskSecrets } from '../mask-secrets.ts';
import { SourceError } from './source-error.ts';
import { parseStorable } from '#contract/stored-text.ts';
import { systemMessages as t } from './messages.en.ts';

/** The address of a system and its credentials. */
export interface Endpoint {
  readonly address: string;
  readonly certificate: string | null;
  readonly credentials: Credentials;
}

/**
 * Requests to a signed-in system. Each response is checked against its schema. Throws a
 * `SourceError`, and nothing else if the system is the cause.
 */
export interface Client {
  /** `signal`: closes the connection. */
  read<S extends v.GenericSchema>(
    path: string,
    schema: S,
    signal?: AbortSignal,
  ): Promise<v.InferOutput<S>>;
  /** Sends a command with a JSON body. `schema` null: the answer has nothing to read. */
  command<S extends v.GenericSchema>(
    command: WriteRequest,
    schema: S | null,
  ): Promise<v.InferOutput<S> | null>;
  /** Sends a command whose answer is a file. `longestPauseMs`: how long no byte may arrive. */
  open(command: WriteRequest, longestPauseMs?: Ms): Promise<OpenedFile>;
  readonly host: string;
}
/** A file that arrives. `bytes` null: the system doesn't say. */
export interface OpenedFile {
  readonly bytes: Bytes | null;
  readonly stream: AsyncIterable<Uint8Array>;
}
export interface WriteRequest {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** How long its answer may take. */
  readonly timeoutMs?: Ms;
  /** Closes the connection. */
  readonly signal?: AbortSignal;
}

export type SystemResponse = Pick<Response, 'status' | 'headers' | 'text' | 'body'>;
export type Send = (path: string, init?: OutboundInit) => Promise<SystemResponse>;
/**
 * Signs requests to a system. `refused`: the system no longer accepts the token; returns whether
 * there is another way to sign in.
 */
export interface Signer {
  headers(): Promise<Readonly<Record<string, string>>>;
  refused(): boolean;
}

const TIMEOUT_MS: Ms = 30_000;
const MAX_BYTES = 16 * 1_048_576;
/**
 * How often a response in progress is polled: the interval grows up to `MAX_POLL_MS`, for
 * `PATIENCE_MS` in total.
 */
const POLL_MS: Ms = 200;
const MAX_POLL_MS: Ms = 5_000;
const PATIENCE_MS: Ms = 120_000;
const LONGEST_WAIT_MS: Ms = 3_600_000;

export function makeClient(
  context: AppContext,
  reach: Endpoint,
  signer: (send: Send) => Signer,
  base: string,
  timeoutMs = TIMEOUT_MS,
): Client {
  const root = new URL(reach.address);
  const prefix = `${root.origin}${base}`;
  const send: Send = async (path, init = {}) => {
    try {
      return await fetchOutbound(
        context,
        path.startsWith('/') ? `${root.origin}${path}` : `${prefix}${path}`,
        { timeoutMs, maxBytes: MAX_BYTES, certificate: reach.certificate, ...init },
      );
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error.kind === 'refused') throw new SourceError('refused', error.message);
      throw new SourceError(
        'unreachable',
        (await describeChangedCertificate(context, reach, error)) ?? error.message,
        null,
        null,
        error.reason,
      );
    }
  };
  const session = signer(send);
  const host = root.host;

  async function answerTo(path: string, init: OutboundInit = {}): Promise<SystemResponse> {
    for (let again = false; ; again = true) {
      const answer = await send(path, {
        ...init,
        headers: { accept: 'application/json', ...init.headers, ...(await session.headers()) },
      });
      if (answer.status !== 401) return answer;
      if (!session.refused() || again) throw new SourceError('refused', t.credentials({ host }));
    }
  }

  /**
   * Status 202 means that the response is in progress. Only the id in its location is used;
   * requests still go to the configured address.
   */
  async function finished(answer: SystemResponse): Promise<SystemResponse> {
    const id = /\/asyncActions\/([\w-]{1,64})\/?$/i.exec(answer.headers.get('location') ?? '')?.[1];
    if (id === undefined) throw new SourceError('failed', t.noResult({ host }));
    let waited = 0;
    for (let pause = POLL_MS; waited < PATIENCE_MS; pause = Math.min(MAX_POLL_MS, pause * 2)) {
      await new Promise<void>((resolve) => {
        context.clock.after(pause, resolve);
      });
      waited += pause;
      const { data } = parsed(await good(await answerTo(`asyncActions/${id}`)), AsyncAction);
      if (data.status === 'running') continue;
      if (data.status !== 'succeed')
        throw new SourceError('failed', t.resultFailed({ host, status: data.status }));
      return answerTo(`asyncActions/${id}/result`);
    }
    throw new SourceError('busy', t.resultLate({ host }));
  }

  async function good(answer: SystemResponse): Promise<string> {
    if (answer.status === 200) return answer.text();
    throw await toSourceError(answer, host, context.clock.now());
  }

  function parsed<S extends v.GenericSchema>(text: string, schema: S): v.InferOutput<S> {
    let value: unknown;
    try {
      value = parseStorable(text);
    } catch {
      throw new SourceError('failed', t.notJson({ host }));
    }
    const read = v.safeParse(schema, value, { abortEarly: true });
    if (read.success) return read.output;
    throw new SourceError('failed', t.badResponse({ host, path: getPath(read.issues[0]) }));
  }

  const sendCommand = (
    { method, path, body, timeoutMs: patienceMs, signal }: WriteRequest,
    init: OutboundInit = {},
  ): Promise<SystemResponse> =>
    answerTo(path, {
      ...(patienceMs !== undefined && { timeoutMs: patienceMs }),
      signal,
      ...init,
      method,
      headers: {
        ...init.headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  return {
    host,
    async open(command, longestPauseMs = timeoutMs) {
      const answer = await sendCommand(command, {
        isStreamed: true,
        timeoutMs: longestPauseMs,
        headers: { accept: 'application/octet-stream, application/json' },
      });
      if (answer.status !== 200 || answer.body === null)
        throw await toSourceError(answer, host, context.clock.now());
      const length = answer.headers.get('content-length');
      return { bytes: length === null ? null : Number(length), stream: pieces(answer.body, host) };
    },
    async read(path, schema, signal) {
      const first = await answerTo(path, { signal });
      return parsed(await good(first.status === 202 ? await finished(first) : first), schema);
    },
    async command(command, schema) {
      const answer = await sendCommand(command);
      if (![200, 201, 204].includes(answer.status))
        throw await toSourceError(answer, host, context.clock.now());
      if (schema === null || answer.status === 204) return null;
      return parsed(await answer.text(), schema);
    },
  };
}

/** Reads a body to its end, or closes the connection when the reader stops. */
async function* pieces(body: ReadableStream<Uint8Array>, host: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new SourceError('unreachable', t.fileCut({ host }));
  }
}

/**
 * Returns a sentence that names both certificates if the system presents another one than the pinned
 * one; null if that is not the error.
 */
async function describeChangedCertificate(
  context: AppContext,
  { address, certificate }: Endpoint,
  { reason }: OutboundError,
): Promise<string | null> {
  if (certificate === null || reason !== 'certificate') return null;
  const url = new URL(address);
  const shown = await loadShownCertificate(context, getHttpsPlace(url));
  const pinned = readCertificate(certificate);
  return shown === null || pinned === null
    ? null
    : outboundMessages.certificateChanged({
        host: url.hostname,
        shown: shown.fingerprint,
        pinned: pinned.fingerprint256,
      });
}

const AsyncAction = v.object({ data: v.object({ status: v.pipe(v.string(), v.maxLength(40)) }) });

const getPath = (issue: v.BaseIssue<unknown>): string => {
  const path = v.getDotPath(issue);
  return path === null ? '' : ` (${path})`;
};

/** Returns the error for a refused request, with the system's own message if it has one. */
export async function toSourceError(
  answer: SystemResponse,
  host: string,
  now: Ms,
): Promise<SourceError> {
  const { status } = answer;
  const waitMs = parseCappedRetryAfter(answer.headers.get('retry-after'), now);
  if (status === 429 || status === 503)
    return new SourceError('busy', t.busy({ host }), waitMs, null, null, status);
  if (status === 401) return new SourceError('refused', t.credentials({ host }));
  if (status === 403) return new SourceError('forbidden', t.forbidden({ host }));
  if (status === 404) return new SourceError('missing', t.missing({ host }));
  const { message, code } = readError(await answer.text().catch(() => ''));
  return new SourceError(
    'failed',
    message === '' ? t.status({ host, status }) : t.statusWith({ host, status, message }),
    waitMs,
    code,
    null,
    status,
  );
}

/**
 * `errors[0].message` of VSPC, `message` of VBR, VB365 and Zerto, `error_description` of a sign-in.
 * `code`: the word of VB365 for the error.
 */
function readError(text: string): { readonly message: string; readonly code: string | null } {
  const read = v.safeParse(Errors, textOrNull(text));
  if (!read.success) return { message: '', code: null };
  const { errors, error_description: description, errorCode } = read.output;
  const message = maskSecrets(
    (errors?.[0]?.message ?? read.output.message ?? description ?? '').replace(/\s+/g, ' ').trim(),
  )
    .slice(0, 200)
    .replace(/\.$/, '');
  return { message, code: errorCode?.slice(0, 60) ?? null };
}
const text = v.optional(v.nullable(v.string()));
const Errors = v.object({
  errors: v.optional(v.nullable(v.array(v.object({ message: text })))),
  message: text,
  error_description: text,
  errorCode: text,
});
function textOrNull(message: string): unknown {
  try {
    return parseStorable(message);
  } catch {
    return null;
  }
}

/** Parses a `Retry-After` header: seconds or a date. */
export function parseCappedRetryAfter(header: string | null, now: Ms): Ms | null {
  const waitMs = parseRetryAfter(header, now);
  return waitMs === null ? null : Math.min(LONGEST_WAIT_MS, waitMs);
}
