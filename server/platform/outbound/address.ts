import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { Ms } from '#contract/ids.ts';
import { getBlockList, unwrapAddress } from '../http/network.ts';
import type { AppContext } from '../app-context.ts';
import { outboundMessages } from './messages.en.ts';

/**
 * `certificate`: that of the host isn't trusted, or isn't the pinned one. `too-large`: the response is
 * longer than the limit. Null: anything else.
 */
export type OutboundReason = 'certificate' | 'too-large' | null;

/**
 * A request that the server refused or failed to make. `message` is a sentence that contains only
 * what the caller passed.
 */
export class OutboundError extends Error {
  readonly kind: 'refused' | 'unreachable';
  readonly reason: OutboundReason;
  constructor(kind: 'refused' | 'unreachable', message: string, reason: OutboundReason = null) {
    super(message);
    this.name = 'OutboundError';
    this.kind = kind;
    this.reason = reason;
  }
}

/**
 * The only IPv6 addresses of the public internet: IANA has assigned global unicast addresses from
 * this range alone.
 */
const GLOBAL_V6 = ['2000::/3'];
/**
 * Special ranges of the IANA registries within the global ones. They are not part of the public
 * internet.
 */
const V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
const V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const special = getBlockList([...V4, ...V6]);
const globalV6 = getBlockList(GLOBAL_V6);

/** Networks that the operator allows for systems that administrators set. */
const allowedIn = ({ config }: AppContext): readonly string[] => config.outbound?.allow ?? NONE;
const NONE: readonly string[] = [];

/**
 * Returns whether the server may connect to the address: it is public, or in a network that the
 * operator allows (OUTB-1).
 */
export function mayReach(
  context: AppContext,
  address: string,
  allow = allowedIn(context),
): boolean {
  const plain = unwrapAddress(address);
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  if (!special.check(plain, family) && (family === 'ipv4' || globalV6.check(plain, family)))
    return true;
  return getBlockList(allow).check(plain, family);
}

/**
 * Resolves a host once and returns its addresses, so that the name can't point to another machine a
 * moment later. Every address of the name must be allowed.
 * @throws OutboundError
 */
export async function checkedAddresses(
  context: AppContext,
  host: string,
  allow = allowedIn(context),
): Promise<readonly [string, ...string[]]> {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  const found =
    isIP(name) !== 0
      ? [name]
      : await lookup(name, { all: true }).then(
          (all) => all.map(({ address }) => address),
          () => [],
        );
  const [first, ...others] = found;
  if (first === undefined)
    throw new OutboundError('unreachable', outboundMessages.unknownHost({ host: name }));
  if (!found.every((address) => mayReach(context, address, allow)))
    throw new OutboundError('refused', outboundMessages.privateNetwork({ host: name }));
  return [first, ...others];
}

/**
 * The first of the checked addresses, for protocols that connect to one.
 * @throws OutboundError
 */
export const checkedAddress = async (
  context: AppContext,
  host: string,
  allow?: readonly string[],
): Promise<string> => (await checkedAddresses(context, host, allow))[0];

/**
 * How a connection reaches one of the checked addresses and no others: if one doesn't answer within
 * two seconds, such as an IPv6 address where IPv6 is broken, the next is tried.
 */
export const connectToAddress = (
  addresses: readonly string[],
): {
  readonly lookup: LookupFunction;
  readonly autoSelectFamily: true;
  readonly autoSelectFamilyAttemptTimeout: Ms;
} => ({
  lookup(_, { all }, answer) {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = found;
    if (all === true) answer(null, found);
    else answer(null, first?.address ?? '', first?.family ?? 0);
  },
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
});
const NEXT_ADDRESS_MS: Ms = 2_000;
