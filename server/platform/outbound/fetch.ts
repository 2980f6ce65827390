import { Agent as Plain, request as plain } from 'node:http';
import { Agent as Secure, request as secure } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { PassThrough, pipeline, Readable } from 'node:stream';
import type { Ms } from '#contract/ids.ts';
import { SECOND_MS } from '#contract/time/durations.ts';
import { releaseSlotDuring } from '../http/concurrency.ts';
import type { AppContext } from '../app-context.ts';
import { checkedAddresses, connectToAddress, OutboundError } from './address.ts';
import { describeOutboundError, isCertificateError } from './error.ts';
import { pinCertificate } from './pinned-certificate.ts';
import { outboundMessages as t } from './messages.en.ts';

export interface OutboundInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | URLSearchParams | null;
  readonly timeoutMs?: Ms;
  /**
   * `timeoutMs` limits each pause in which nothing is sent or received. The whole request may take so
   * long, and as long as its bytes need at 8 KiB a second.
   */
  readonly isLarge?: boolean;
  /** Maximum size of the response; default 1 MiB. */
  readonly maxBytes?: number;
  /**
   * The body is passed on as it arrives: of any size, and `timeoutMs` limits each pause. The caller
   * reads or cancels it.
   */
  readonly isStreamed?: boolean;
  /** Closes the connection, also while a streamed body arrives. */
  readonly signal?: AbortSignal | undefined;
  /** PEM of the one certificate to trust instead of public authorities, whatever host it names. */
  readonly certificate?: string | null;
  /**
   * Private networks that this request may reach, instead of those that the operator allows for
   * administrators' systems.
   */
  readonly within?: readonly string[] | undefined;
  /** Connections that requests to the same host share; without them each has its own. */
  readonly connections?: OutboundConnections | undefined;
}

export interface OutboundConnections {
  readonly plain: Plain;
  readonly secure: Secure;
}

/**
 * Returns connections that stay open between requests, until the other side closes them. A request
 * that fails on a closed one is sent again on a new connection, if it is idempotent.
 */
export function makeConnections(max: number): OutboundConnections {
  const options = { keepAlive: true, maxSockets: max };
  return { plain: new Plain(options), secure: new Secure(options) };
}

/**
 * The other side closed a shared connection while nobody used it, and the request met that: servers
 * do so after seconds, and firewalls forget connections without a word (`reusedSocket` in Node's
 * documentation of `http.ClientRequest`).
 */
class StaleConnection extends Error {}
const isClosed = (error: NodeJS.ErrnoException): boolean =>
  error.code === 'ECONNRESET' || error.code === 'EPIPE';

const TIMEOUT_MS: Ms = 10_000;
const MAX_BYTES = 1_048_576;
/** Ports below 1024 that are allowed: services other than web servers listen on the rest. */
const LOW_PORTS = new Set([443]);
const FIRST_HIGH = 1_024;
/** The slowest line for large requests: sixteen of them share one megabit a second. */
const MIN_BYTES_PER_SECOND = 8_192;
const NO_BODY = new Set([204, 205, 304]);
/** RFC 9110, 9.2.2: they do the same when they are sent again. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/**
 * The only function that requests an address somebody entered (OUTB-1, OUTB-2): https, or http if the
 * operator allows it; no name or password in the URL; resolves the host once, checks it and
 * connects to exactly those addresses; follows no redirect; at most 1 MiB and ten seconds; ignores
 * proxy variables. Logs neither body nor headers. Delays only its caller (HTTP-17).
 * @throws OutboundError, never anything else.
 */
export const fetchOutbound = (
  context: AppContext,
  address: string | URL,
  init: OutboundInit = {},
): Promise<Response> => releaseSlotDuring(() => sendRequest(context, address, init));

async function sendRequest(
  context: AppContext,
  address: string | URL,
  {
    method = 'GET',
    headers = {},
    body = null,
    timeoutMs = TIMEOUT_MS,
    maxBytes = MAX_BYTES,
    isLarge = false,
    isStreamed = false,
    signal,
    certificate = null,
    within,
    connections,
  }: OutboundInit,
): Promise<Response> {
  const url = allowedUrl(context, address);
  const addresses = await checkedAddresses(context, url.hostname, within);
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const tls = url.protocol === 'https:';
  const payload = body instanceof URLSearchParams ? body.toString() : body;
  const options = {
    host: name,
    ...connectToAddress(addresses),
    port: url.port === '' ? (tls ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method,
    headers: {
      'accept-encoding': 'identity',
      ...(body instanceof URLSearchParams
        ? { 'content-type': 'application/x-www-form-urlencoded' }
        : {}),
      ...headers,
      'host': url.host,
      ...(payload === null ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
    },
  };
  let timer: { cancel(): void } | undefined;
  let whole: { cancel(): void } | undefined;
  let isOver = false;
  let moved = 0;
  const end = (going: ClientRequest): void => {
    going.destroy(new OutboundError('unreachable', t.timeout({ host: name })));
  };
  const onProgress = (going: ClientRequest, bytes: number): void => {
    moved += bytes;
    timer?.cancel();
    if (isOver) return; // answered before the whole body was sent
    timer = context.clock.after(timeoutMs, () => {
      end(going);
    });
  };
  /** Ends a large request that was slower than the slowest line. */
  const limitWhole = (going: ClientRequest, passedMs: Ms): void => {
    const allowedMs = timeoutMs + Math.floor((moved / MIN_BYTES_PER_SECOND) * SECOND_MS);
    if (isOver) return;
    if (allowedMs <= passedMs) end(going);
    else
      whole = context.clock.after(allowedMs - passedMs, () => {
        limitWhole(going, allowedMs);
      });
  };
  const send = (agents: OutboundConnections | null): Promise<Response> =>
    new Promise<Response>((resolve, reject) => {
      let isAnswered = false;
      const answered = (answer: IncomingMessage): void => {
        isAnswered = true;
        const response = isStreamed
          ? passOn(answer, name, timeoutMs)
          : collect(answer, name, maxBytes, (bytes) => {
              if (isLarge) onProgress(going, bytes);
            });
        response.then(resolve, reject);
      };
      const going = tls
        ? secure(
            {
              ...options,
              servername: isIP(name) === 0 ? name : '',
              minVersion: 'TLSv1.2',
              rejectUnauthorized: true,
              ...(certificate === null ? {} : pinCertificate(certificate)),
              agent: agents?.secure ?? new Secure({ keepAlive: false }),
            },
            answered,
          )
        : plain({ ...options, agent: agents?.plain ?? new Plain({ keepAlive: false }) }, answered);
      moved = 0;
      whole?.cancel();
      onProgress(going, 0);
      if (isLarge) limitWhole(going, 0);
      // Firewalls forget connections on which an answer takes hours.
      going.on('socket', (socket) => socket.setKeepAlive(true, KEEP_ALIVE_MS));
      going.on('error', (error) => {
        reject(
          going.reusedSocket && !isAnswered && isClosed(error)
            ? new StaleConnection(error.message, { cause: error })
            : error,
        );
      });
      const abort = (): void => {
        going.destroy(new OutboundError('unreachable', t.failed({ host: name })));
      };
      if (signal?.aborted === true) abort();
      signal?.addEventListener('abort', abort, { once: true });
      if (isLarge && payload !== null)
        writeParts(going, Buffer.from(payload), (bytes) => {
          onProgress(going, bytes);
        });
      else going.end(payload ?? undefined);
    });
  try {
    try {
      return await send(connections ?? null);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      // Others of the shared connections may be as old.
      if (IDEMPOTENT.has(method)) return await send(null);
      throw error.cause;
    }
  } catch (error) {
    throw error instanceof OutboundError
      ? error
      : new OutboundError(
          'unreachable',
          describeOutboundError(error, name),
          isCertificateError(error) ? 'certificate' : null,
        );
  } finally {
    isOver = true;
    timer?.cancel();
    whole?.cancel();
  }
}

/**
 * Returns the URL if its scheme, port and form are allowed (OUTB-1).
 * @throws OutboundError
 */
export function allowedUrl(context: AppContext, address: string | URL): URL {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new OutboundError('refused', t.addressInvalid);
  }
  const http = context.config.outbound?.http === true;
  if (url.protocol !== 'https:' && !(http && url.protocol === 'http:'))
    throw new OutboundError('refused', t.httpsNeeded);
  if (url.username !== '' || url.password !== '')
    throw new OutboundError('refused', t.noCredentials);
  const port = Number(url.port);
  if (url.port !== '' && port < FIRST_HIGH && !LOW_PORTS.has(port))
    throw new OutboundError('refused', t.portNotAllowed({ port: url.port }));
  return url;
}

async function passOn(answer: IncomingMessage, name: string, timeoutMs: Ms): Promise<Response> {
  answer.setTimeout(timeoutMs, () => {
    answer.destroy(new OutboundError('unreachable', t.timeout({ host: name })));
  });
  // `pipeline` destroys both ends when one of them breaks, so that a cut body is an error.
  const body = pipeline(answer, new PassThrough(), () => undefined);
  return getResponse(answer, name, Readable.toWeb(body) as ReadableStream<Uint8Array>);
}

/** Writes a body in parts, and reports each that the connection has taken. */
function writeParts(going: ClientRequest, body: Buffer, onPart: (bytes: number) => void): void {
  let at = 0;
  let taken = 0;
  const next = (): void => {
    const end = Math.min(at, body.length);
    onPart(end - taken);
    taken = end;
    for (; at < body.length; at += PART_BYTES)
      if (!going.write(body.subarray(at, at + PART_BYTES))) {
        at += PART_BYTES;
        going.once('drain', next);
        return;
      }
    going.end();
  };
  next();
}
const PART_BYTES = 65_536;
const KEEP_ALIVE_MS: Ms = 60_000;

async function collect(
  answer: IncomingMessage,
  name: string,
  maxBytes: number,
  onPart: (bytes: number) => void,
): Promise<Response> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length;
    onPart(part.length);
    if (bytes > maxBytes) {
      answer.destroy();
      throw new OutboundError(
        'unreachable',
        t.tooLarge({ host: name, limit: Math.round(maxBytes / MAX_BYTES) }),
        'too-large',
      );
    }
    parts.push(part);
  }
  return getResponse(answer, name, new Uint8Array(Buffer.concat(parts)));
}

/**
 * Returns the response with its status, headers and this body.
 * @throws OutboundError
 */
export function getResponse(
  answer: IncomingMessage,
  name: string,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
): Response {
  const headers = new Headers();
  for (const [key, value] of Object.entries(answer.headers))
    for (const one of [value ?? []].flat()) headers.append(key, one);
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 599)
    throw new OutboundError('unreachable', t.badResponse({ host: name }));
  return new Response(NO_BODY.has(status) ? null : body, { status, headers });
}
