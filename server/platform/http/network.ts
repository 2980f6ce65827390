import { BlockList, isIP } from 'node:net';

/**
 * Returns the eight groups of an IPv6 address in any notation, including an IPv4 suffix and a zone.
 */
function getGroups(address: string): readonly number[] {
  const plain = address.split('%')[0] ?? '';
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(plain);
  const [, head = '', a = '', b = '', c = '', d = ''] = dotted ?? [];
  const text = dotted
    ? `${head}${(Number(a) * 256 + Number(b)).toString(16)}:${(Number(c) * 256 + Number(d)).toString(16)}`
    : plain;
  const [left = '', right] = text.split('::');
  const before = parseGroups(left);
  const after = parseGroups(right ?? '');
  return right === undefined
    ? before
    : [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

const parseGroups = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));

/**
 * Returns an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) as IPv4, and any other address
 * unchanged.
 */
export function unwrapAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = getGroups(address);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}` : address;
}

/**
 * Returns the network of one caller: an IPv4 address, or the /64 network of an IPv6 address in one
 * fixed notation.
 */
export function callerNetwork(address: string): string {
  const plain = unwrapAddress(address);
  if (isIP(plain) !== 6) return plain;
  return networkOfV6(plain, 4);
}

/**
 * Returns the network of an IPv6 address with this many groups of 16 bits, as `2001:db8:7::/48`.
 */
export const networkOfV6 = (address: string, groups: number): string =>
  `${getGroups(address)
    .slice(0, groups)
    .map((group) => group.toString(16))
    .join(':')}::/${groups * 16}`;

/** Builds a list from networks like `192.0.2.0/24` or `2001:db8::/32`, and single addresses. */
export function getBlockList(networks: readonly string[]): BlockList {
  const blocks = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    blocks.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return blocks;
}
