import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { toInputFailure } from './body.ts';
import type { ConnectionLimits } from './connections.ts';
import { limitConnections } from './connections.ts';
import { refuse } from './envelope.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { requestMessages as t } from './request.messages.en.ts';

export interface Listening {
  readonly port: number;
  /**
   * Stops accepting connections, lets running calls finish for `graceMs`, then closes the rest
   * (streams).
   */
  stop(graceMs: number): Promise<void>;
}

/** Maximum connections, and the time limits for headers and for a whole request with its body. */
export interface ListenLimits extends ConnectionLimits {
  readonly headersMs: Ms;
  readonly requestMs: Ms;
  /** How often the time limits are checked. */ readonly checkMs: Ms;
}
const USUAL: ListenLimits = {
  connections: LIMITS.openConnections,
  connectionsPerAddress: LIMITS.openConnectionsPerAddress,
  trustedProxies: [],
  headersMs: LIMITS.headersMs,
  requestMs: LIMITS.requestMs,
  checkMs: 2_000,
};

/** Throws with code EADDRINUSE or EACCES if the port is not available. */
export async function listen(
  app: Hono,
  port: number,
  hostname: string,
  limits: Partial<ListenLimits> = {},
): Promise<Listening> {
  const { headersMs, requestMs, checkMs, ...connections } = { ...USUAL, ...limits };
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    errorHandler: unreadable,
  });
  const server = createServer(
    {
      requestTimeout: requestMs,
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkMs,
      keepAliveTimeout: 20_000,
      maxHeaderSize: 16_384,
    },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  limitConnections(server, connections);
  await bound(server, port, hostname);
  return { port: (server.address() as AddressInfo).port, stop: (graceMs) => stop(server, graceMs) };
}

/** Throws as `listen` would if the port is not available now. */
export async function probePort(port: number, hostname: string): Promise<void> {
  const probe = createServer();
  await bound(probe, port, hostname);
  await new Promise<void>((resolve) => {
    probe.close(() => {
      resolve();
    });
  });
}

const bound = (server: Server, port: number, hostname: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, hostname, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** A malformed request (an impossible host or path) never reaches the app. */
function unreadable(): Response {
  const answer = refuse(toInputFailure('', t.unreadable));
  setSecurityHeaders(answer.headers, false);
  return answer;
}

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  server.closeIdleConnections();
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, graceMs);
  await closed;
  clearTimeout(cut);
}
