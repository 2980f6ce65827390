import { BlockList } from 'node:net';
import { array, assert, constant, integer, oneof, pre, property } from 'fast-check';
import { expect, test } from 'vitest';
import { strangersBuckets } from '#server/features/auth/rate-limit.ts';
import { compressedOnce } from '#server/platform/http/compress.ts';
import { callerNetwork, unwrapAddress } from '#server/platform/http/network.ts';
import { mayReach } from '#server/platform/outbound/address.ts';
import { makeFixture } from './fixtures.ts';

// RFC 4291, section 2.2: one address has many spellings.
const group = integer({ min: 0, max: 0xffff });
const spellings = (groups: readonly number[]): string[] => {
  const plain = groups.map((one) => one.toString(16));
  const padded = groups.map((one) => one.toString(16).padStart(4, '0').toUpperCase());
  const at = groups.findIndex((one, n) => one === 0 && groups[n + 1] === 0);
  if (at === -1) return [plain.join(':'), padded.join(':')];
  let end = at;
  while (groups[end] === 0) end += 1;
  return [
    plain.join(':'),
    padded.join(':'),
    `${plain.slice(0, at).join(':')}::${plain.slice(end).join(':')}`,
  ];
};

test('G37: all addresses of one IPv6 /64 count as one caller, in every notation, and no others', () => {
  assert(
    property(
      array(oneof(group, constant(0)), { minLength: 8, maxLength: 8 }),
      array(group, { minLength: 4, maxLength: 4 }),
      (groups, other) => {
        pre(groups.slice(0, 5).some((one) => one !== 0));
        const networks = new Set(
          [...spellings(groups), ...spellings([...groups.slice(0, 4), ...other])].map(
            callerNetwork,
          ),
        );
        expect(networks.size).toBe(1);
        // The network as Node's own reader of addresses has it.
        const list = new BlockList();
        list.addSubnet(spellings(groups)[0] ?? '', 64, 'ipv6');
        const elsewhere = [...groups.slice(0, 3), (groups[3] ?? 0) ^ 1, ...groups.slice(4)];
        expect([
          callerNetwork(spellings(elsewhere)[0] ?? '') === [...networks][0],
          list.check(spellings(elsewhere)[0] ?? '', 'ipv6'),
        ]).toEqual([false, false]);
      },
    ),
    { numRuns: 300 * Number(process.env['PROOF'] ?? 1) },
  );
  expect(callerNetwork('2001:db8::1')).toBe(callerNetwork('2001:db8:0:0:ffff::2'));
  expect(callerNetwork('2001:db8::1')).not.toBe(callerNetwork('2001:db8:1::1'));
  expect([
    callerNetwork('::ffff:192.0.2.7'),
    callerNetwork('::FFFF:c000:207'),
    callerNetwork('192.0.2.7'),
  ]).toEqual(['192.0.2.7', '192.0.2.7', '192.0.2.7']);
  expect(strangersBuckets('kate', '2001:db8::5')[1].name).toBe(
    strangersBuckets('kate', '2001:0db8:0000:0000:1::9')[1].name,
  );
});

test('OUTB-1: public addresses are what IANA assigned as global unicast, without its special ranges; IPv4 written as IPv6 counts as IPv4', async () => {
  const { context } = await makeFixture();
  const inside = {
    ...context,
    config: { ...context.config, outbound: { allow: ['10.1.0.0/16', 'fd00::/8'], http: false } },
  };
  // From the registries of special-purpose addresses and of IPv6 address space: never a public
  // target.
  const refused = [
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '100:0:0:1::1',
    '200::1',
    '400::1',
    '1000::1',
    '1fff::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '4000::1',
    '5f00::1',
    '6000::1',
    '8000::1',
    'c000::1',
    'e000::1',
    'f000::1',
    'fc00::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
  ];
  expect(refused.filter((address) => mayReach(context, address))).toEqual([]);
  const reached = [
    '8.8.8.8',
    '::ffff:8.8.8.8',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '2c0f::1',
    '3ffe::1',
  ];
  expect(reached.filter((address) => !mayReach(context, address))).toEqual([]);
  expect(
    ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1'].filter((address) => !mayReach(inside, address)),
  ).toEqual([]);
  expect(
    ['10.2.0.1', '::ffff:10.2.0.1', 'fc00::1'].filter((address) => mayReach(inside, address)),
  ).toEqual([]);
  expect(unwrapAddress('::ffff:0:1')).toBe('0.0.0.1');
});

test('HTTP-8: responses that never change are built once and compressed once per encoding', async () => {
  let made = 0;
  const give = compressedOnce(() => {
    made += 1;
    return new TextEncoder().encode('x'.repeat(5_000));
  });
  const codings: (string | null)[] = [];
  const sizes = new Set<number>();
  for (const accept of ['br', 'br', 'gzip', 'zstd', null, 'br']) {
    const headers = new Headers();
    const bytes = await give(accept, headers);
    codings.push(headers.get('content-encoding'));
    sizes.add(bytes.byteLength);
  }
  expect([made, codings]).toEqual([1, ['br', 'br', 'gzip', 'zstd', null, 'br']]);
  expect(sizes.size).toBe(4);
});
