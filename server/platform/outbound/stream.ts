import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { AppContext } from '../app-context.ts';
import { releaseSlotDuring } from '../http/concurrency.ts';
import { checkedAddresses, connectToAddress, OutboundError } from './address.ts';
import { describeOutboundError } from './error.ts';
import { allowedUrl, getResponse } from './fetch.ts';
import { outboundMessages as t } from './messages.en.ts';

/** Sends requests to a service with known hosts, and streams their responses. */
export interface OutboundStream {
  /**
   * Follows no redirect. The caller limits time (by the request's signal) and size.
   * @throws OutboundError, never anything else.
   */
  fetch(request: Request): Promise<Response>;
  /** Closes idle connections. */
  close(): void;
}

/**
 * Connects to the hosts that `isAllowed` names and to no others, keeps connections open between
 * requests, and streams the responses. Addresses are checked as for `fetchOutbound` (OUTB-1, OUTB-2).
 */
export function outboundStream(
  context: AppContext,
  isAllowed: (host: string) => boolean,
): OutboundStream {
  const secure = new SecureAgent({ keepAlive: true, minVersion: 'TLSv1.2' });
  const plain = new PlainAgent({ keepAlive: true });
  const send = async (request: Request): Promise<Response> => {
    const url = allowedUrl(context, request.url);
    const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (!isAllowed(url.hostname)) throw new OutboundError('refused', t.wrongHost({ host: name }));
    try {
      const addresses = await checkedAddresses(context, url.hostname);
      const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
      const headers: Record<string, string> = { 'accept-encoding': 'gzip' };
      for (const [key, value] of request.headers) headers[key] = value;
      headers['host'] = url.host;
      if (body !== null) headers['content-length'] = String(body.byteLength);
      const options = {
        host: name,
        ...connectToAddress(addresses),
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers,
        signal: request.signal,
      };
      const answer = await received(
        url.protocol === 'https:'
          ? secureRequest({
              ...options,
              port: url.port === '' ? 443 : Number(url.port),
              servername: isIP(name) === 0 ? name : '',
              rejectUnauthorized: true,
              agent: secure,
            })
          : plainRequest({
              ...options,
              port: url.port === '' ? 80 : Number(url.port),
              agent: plain,
            }),
        body,
      );
      return streamed(answer, name);
    } catch (error) {
      throw error instanceof OutboundError
        ? error
        : new OutboundError('unreachable', describeOutboundError(error, name));
    }
  };
  return {
    fetch: (request) => releaseSlotDuring(() => send(request)),
    close() {
      secure.destroy();
      plain.destroy();
    },
  };
}

const received = (going: ClientRequest, body: Buffer | null): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    going.on('response', resolve);
    going.on('error', reject);
    going.end(body ?? undefined);
  });

function streamed(answer: IncomingMessage, name: string): Response {
  const isGzip = answer.headers['content-encoding'] === 'gzip';
  // `pipeline` destroys both ends when one of them breaks, so that a cut body is an error.
  const body = isGzip ? pipeline(answer, createGunzip(), () => undefined) : answer;
  if (isGzip) {
    delete answer.headers['content-encoding'];
    delete answer.headers['content-length'];
  }
  return getResponse(answer, name, Readable.toWeb(body) as ReadableStream<Uint8Array>);
}
