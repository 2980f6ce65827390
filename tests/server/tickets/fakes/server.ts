import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Query {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}
export interface Details {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** As it is, not as JSON. */ readonly text?: string;
  /** Nothing is answered. */ readonly silent?: boolean;
}
/**
 * What comes in the way of the next request: an answer instead of the right one; `done`: what was
 * asked for is done all the same.
 */
export interface Error extends Details {
  readonly when?: (request: Query) => boolean;
  readonly done?: boolean;
}
export interface StandIn {
  readonly url: string;
  readonly asked: Query[];
  readonly errors: Error[];
  stop(): Promise<void>;
}

/** A small HTTP server that answers JSON. Every request is kept. */
export async function standIn(
  answer: (request: Query, origin: string) => Details,
): Promise<StandIn> {
  const query: Query[] = [];
  const errors: Error[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => {
      parts.push(part);
    });
    request.on('error', () => undefined);
    request.on('end', () => {
      const url = new URL(request.url ?? '', origin());
      const text = Buffer.concat(parts).toString('utf8');
      const one: Query = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: text === '' ? null : JSON.parse(text),
      };
      query.push(one);
      const at = errors.findIndex(({ when }) => when === undefined || when(one));
      const [error] = at < 0 ? [] : errors.splice(at, 1);
      if (error?.done === true) answer(one, origin());
      const {
        status = 200,
        headers = {},
        body = null,
        text: plain,
        silent,
      } = error ?? answer(one, origin());
      if (silent !== true)
        response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(plain ?? JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: origin(),
    asked: query,
    errors,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
