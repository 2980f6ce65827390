import { BlockList, isIP } from 'node:net';
import { unwrapAddress } from './network.ts';

/** Where a request came from. `host` is lower case, with its port where one was asked. */
export interface Caller {
  readonly ip: string;
  readonly tls: boolean;
  readonly host: string;
}

interface Socket {
  readonly remoteAddress?: string | undefined;
  readonly encrypted?: boolean | undefined;
}

/**
 * Reads the caller from the socket. What `X-Forwarded-*` claims is believed only when the socket's
 * other end is a trusted proxy; of a chain of addresses the nearest one that is no trusted proxy
 * counts, as everything before it may be made up.
 */
export function callerReader(
  trustedProxies: readonly string[],
): (request: Request, env: unknown) => Caller {
  const trusted = trustList(trustedProxies);
  return (request, env) => {
    const socket = socketOf(env);
    const near = unwrapAddress(socket?.remoteAddress ?? '');
    const url = new URL(request.url);
    const own = {
      ip: near,
      tls: socket?.encrypted === true || url.protocol === 'https:',
      host: (request.headers.get('host') ?? url.host).toLowerCase(),
    };
    if (!trusted(near)) return own;
    const chain = list(request.headers.get('x-forwarded-for')).map(unwrapAddress);
    const proto = list(request.headers.get('x-forwarded-proto')).at(-1);
    const host = list(request.headers.get('x-forwarded-host')).at(-1);
    return {
      ip: chain.findLast((address) => isIP(address) !== 0 && !trusted(address)) ?? near,
      tls: proto === undefined ? own.tls : proto === 'https',
      host: (host ?? own.host).toLowerCase(),
    };
  };
}

export function trustList(entries: readonly string[]): (address: string) => boolean {
  const blocks = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) blocks.addAddress(address, family);
    else blocks.addSubnet(address, Number(bits), family);
  }
  return (address) =>
    isIP(address) !== 0 && blocks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

const list = (header: string | null): string[] =>
  (header ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function socketOf(env: unknown): Socket | undefined {
  return (env as { readonly incoming?: { readonly socket?: Socket } } | undefined)?.incoming
    ?.socket;
}
