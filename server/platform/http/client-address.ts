import { isIP } from 'node:net';
import { getBlockList, unwrapAddress } from './network.ts';

/** The origin of a request. `host` is lower case, with its port if the request named one. */
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
 * Reads the caller from the socket. Trusts `X-Forwarded-*` only from a trusted proxy. In a chain of
 * addresses, the nearest one that is no trusted proxy is the caller, because everything before it
 * may be forged. An unreadable entry ends the chain.
 */
export function callerReader(
  trustedProxies: readonly string[],
): (request: Request, env: unknown) => Caller {
  const trusted = trustList(trustedProxies);
  return (request, env) => {
    const socket = getSocket(env);
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
      ip: getOrigin(request.headers.get('x-forwarded-for'), near, trusted),
      tls: proto === undefined ? own.tls : proto === 'https',
      host: (host ?? own.host).toLowerCase(),
    };
  };
}

/**
 * Follows `X-Forwarded-For` from the right, where the nearest proxy wrote: each trusted proxy
 * vouches for the entry before its own. Returns the last address read this way.
 */
function getOrigin(
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
/** Returns the address of an entry that may have a port; null if it is no address. */
function addressIn(entry: string): string | null {
  const v4 = V4.exec(entry)?.[1];
  if (v4 !== undefined) return isIP(v4) === 4 ? v4 : null;
  // A zone is only meaningful on the machine that wrote it.
  const v6 = V6_IN_BRACKETS.exec(entry)?.[1] ?? entry;
  return isIP(v6) === 6 && !v6.includes('%') ? unwrapAddress(v6) : null;
}

export function trustList(entries: readonly string[]): (address: string) => boolean {
  const blocks = getBlockList(entries);
  return (address) =>
    isIP(address) !== 0 && blocks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

const list = (header: string | null): string[] =>
  (header ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function getSocket(env: unknown): Socket | undefined {
  return (env as { readonly incoming?: { readonly socket?: Socket } } | undefined)?.incoming
    ?.socket;
}
