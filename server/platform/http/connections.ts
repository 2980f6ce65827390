import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { trustList } from './client-address.ts';
import { callerNetwork, unwrapAddress } from './network.ts';

export interface ConnectionLimits {
  /** Connections at once, in all and from one address (of IPv6: one network). */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** A proxy has many callers behind it: only the limit in all applies to its address. */
  readonly trustedProxies: readonly string[];
}

/** HTTP-20: sockets are counted before they are read; one above the limit is closed at once. */
export function limitConnections(
  server: Server,
  { connections, connectionsPerAddress, trustedProxies }: ConnectionLimits,
): void {
  const isProxy = trustList(trustedProxies);
  const open = new Map<string, number>();
  server.maxConnections = connections;
  server.on('connection', (socket: Socket) => {
    const address = unwrapAddress(socket.remoteAddress ?? '');
    if (isProxy(address)) return;
    const from = callerNetwork(address);
    const there = open.get(from) ?? 0;
    if (there >= connectionsPerAddress) {
      socket.destroy();
      return;
    }
    open.set(from, there + 1);
    socket.once('close', () => {
      const left = (open.get(from) ?? 1) - 1;
      if (left === 0) open.delete(from);
      else open.set(from, left);
    });
  });
}
