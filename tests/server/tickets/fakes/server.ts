import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}
export interface Told {
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
export interface Fault extends Told {
  readonly when?: (asked: Asked) => boolean;
  readonly done?: boolean;
}
export interface StandIn {
  readonly url: string;
  readonly asked: Asked[];
  readonly faults: Fault[];
  stop(): Promise<void>;
}

/** A small HTTP server that answers JSON. Every request is kept. */
export async function standIn(answer: (asked: Asked, origin: string) => Told): Promise<StandIn> {
  const asked: Asked[] = [];
  const faults: Fault[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => {
      parts.push(part);
    });
    request.on('error', () => undefined);
    request.on('end', () => {
      const url = new URL(request.url ?? '', origin());
      const text = Buffer.concat(parts).toString('utf8');
      const one: Asked = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: text === '' ? null : JSON.parse(text),
      };
      asked.push(one);
      const at = faults.findIndex(({ when }) => when === undefined || when(one));
      const [fault] = at < 0 ? [] : faults.splice(at, 1);
      if (fault?.done === true) answer(one, origin());
      const {
        status = 200,
        headers = {},
        body = null,
        text: plain,
        silent,
      } = fault ?? answer(one, origin());
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
    asked,
    faults,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
