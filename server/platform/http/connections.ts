import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { trustList } from './client-address.ts';
import { callerNetwork, unwrapAddress } from './network.ts';

export interface ConnectionLimits {
  /** Maximum connections at once, in total and per address (for IPv6: per network). */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** A proxy has many callers behind it, so only the total limit applies to its address. */
  readonly trustedProxies: readonly string[];
}

/** HTTP-20: counts sockets before reading from them, and closes one above the limit at once. */
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
