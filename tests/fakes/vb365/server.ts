import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Ms } from '#contract/ids.ts';
import { createCertificate } from '#server/engine/embedded/graph/certificate.ts';
import { listen, type Outside, type Query, sendDetails } from '#tests/server/outbound/listen.ts';
import { makeVb365Api, type Vb365Api } from './api.ts';
import { emptyServer, type Vb365Content, type Vb365Version } from './state.ts';

/** A server of a version on this machine, without TLS. */
export interface Vb365Server extends Vb365Api {
  readonly outside: Outside;
}

export async function startVb365(
  version: Vb365Version,
  now: () => Ms,
  content: Vb365Content = emptyServer(now()),
  port = 0,
): Promise<Vb365Server> {
  const api = makeVb365Api(version, content, now);
  return Object.assign(api, {
    outside: await listen((request) => api.answer(request), undefined, port),
  });
}

/** A server with a certificate that it has signed itself. */
export interface SecureVb365 extends Vb365Api {
  readonly url: string;
  readonly certificate: string;
  /** What came in after the TLS handshake. */
  readonly queries: readonly Query[];
  /** The same server with another certificate, at the same address. */
  renewCertificate(): Promise<string>;
  stop(): Promise<void>;
}

export async function startSecureVb365(
  version: Vb365Version,
  now: () => Ms,
  content: Vb365Content = emptyServer(now()),
): Promise<SecureVb365> {
  const api = makeVb365Api(version, content, now);
  const queries: Query[] = [];
  const chance = { bytes: (count: number) => new Uint8Array(randomBytes(count)), uuid: randomUUID };
  const make = () => createCertificate(chance, now(), { name: 'VB365-01', days: 365 });
  const first = await make();
  const server = createServer(
    { cert: first.certificate, key: first.privateKey },
    (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const one: Query = {
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(parts).toString('utf8'),
        };
        queries.push(one);
        void (async () => {
          sendDetails(response, await api.answer(one));
        })();
      });
    },
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return Object.assign(api, {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate: first.certificate,
    queries,
    async renewCertificate() {
      const next = await make();
      server.setSecureContext({ cert: next.certificate, key: next.privateKey });
      return next.certificate;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  });
}
