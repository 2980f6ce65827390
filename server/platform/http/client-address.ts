import { isIP } from 'node:net';
import { blockListOf, unwrapAddress } from './network.ts';

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
 * counts, as everything before it may be made up. An entry that cannot be read ends the chain.
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
    const proto = list(request.headers.get('x-forwarded-proto')).at(-1);
    const host = list(request.headers.get('x-forwarded-host')).at(-1);
    return {
      ip: originOf(request.headers.get('x-forwarded-for'), near, trusted),
      tls: proto === undefined ? own.tls : proto === 'https',
      host: (host ?? own.host).toLowerCase(),
    };
  };
}

/**
 * Follows `X-Forwarded-For` from the right, where the nearest proxy wrote: each trusted proxy
 * vouches for the entry before its own. The last address that was read this way is the caller.
 */
function originOf(
  header: string | null,
  near: string,
  trusted: (address: string) => boolean,
): string {
  let caller = near;
  for (const entry of header?.split(',').toReversed() ?? []) {
    const address = addressIn(entry.trim());
    if (address === null) return caller;
    caller = address;
    if (!trusted(address)) return caller;
  }
  return caller;
}

const V4 = /^([\d.]+)(?::\d{1,5})?$/;
const V6_IN_BRACKETS = /^\[([^\]%]+)\](?::\d{1,5})?$/;
/** The address of an entry that may have a port; null where it is none. */
function addressIn(entry: string): string | null {
  const v4 = V4.exec(entry)?.[1];
  if (v4 !== undefined) return isIP(v4) === 4 ? v4 : null;
  // A zone means something on one machine only, which is not this one.
  const v6 = V6_IN_BRACKETS.exec(entry)?.[1] ?? entry;
  return isIP(v6) === 6 && !v6.includes('%') ? unwrapAddress(v6) : null;
}

export function trustList(entries: readonly string[]): (address: string) => boolean {
  const blocks = blockListOf(entries);
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
