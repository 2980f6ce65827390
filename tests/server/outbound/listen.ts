import { createServer, type ServerResponse } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Query {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
export interface Details {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Never. */ readonly silent?: boolean;
  /** After this many bytes of the body, it ends: without an error, or with a broken connection. */
  readonly cutAt?: number;
  readonly cutsQuietly?: boolean;
  /** Then nothing follows, and the connection stays open. */
  readonly stalls?: boolean;
}
export interface Outside {
  readonly url: string;
  readonly port: number;
  readonly asked: Query[];
  stop(): Promise<void>;
}

/**
 * What the operator of a test's server allows: this very machine, without TLS. The key is named, so
 * that several worlds open the same secrets.
 */
export const HERE = {
  outbound: { allow: ['127.0.0.0/8', '::1'], http: true },
  secretKey: 'c2VjcmV0IGtleSBvZiBhIHRlc3QsIDMyIGJ5dGVzISE',
} as const;

/** Somebody outside whom the server asks: what was asked is kept, what is told is the test's. */
export async function listen(
  answer: (request: Query) => Details | Promise<Details>,
  host = '127.0.0.1',
  at = 0,
): Promise<Outside> {
  const query: Query[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => {
      parts.push(part);
    });
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(parts).toString('utf8'),
      };
      query.push(one);
      void (async () => {
        const details = await answer(one);
        if (details.silent !== true) sendDetails(response, details);
      })();
    });
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(at, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    asked: query,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** Sends an answer, or as much of it as it says. */
export function sendDetails(
  response: ServerResponse,
  { status = 200, headers = {}, body = '', cutAt, cutsQuietly = false, stalls = false }: Details,
): void {
  if (cutAt === undefined) {
    response.writeHead(status, headers).end(body);
    return;
  }
  const part = Buffer.from(body).subarray(0, cutAt);
  const { 'content-length': _, ...unsized } = headers;
  response.writeHead(status, cutsQuietly ? unsized : headers);
  if (stalls) response.write(part);
  else if (cutsQuietly) response.end(part);
  else response.write(part, () => response.destroy());
}

export const json = (value: unknown, status = 200): Details => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});
