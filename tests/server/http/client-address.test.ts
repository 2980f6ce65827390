import { array, assert, constantFrom, integer, property, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { callerReader } from '#server/platform/http/client-address.ts';

const TRUSTED = ['10.0.0.0/8', 'fd00::/8'];
const NEAR = '10.0.0.1';
const ipFor = (forwardedFor: string | null): string =>
  callerReader(TRUSTED)(
    new Request('http://a.example/', {
      headers: forwardedFor === null ? {} : { 'x-forwarded-for': forwardedFor },
    }),
    { incoming: { socket: { remoteAddress: NEAR } } },
  ).ip;

/** By hand: what proxies write, and what it means. */
const READ: readonly (readonly [header: string, ip: string])[] = [
  ['9.9.9.9, 198.51.100.7:5555', '198.51.100.7'],
  ['198.51.100.7:5555', '198.51.100.7'],
  ['9.9.9.9, [2001:db8::7]:5555', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['2001:db8::7', '2001:db8::7'],
  ['9.9.9.9, [::ffff:198.51.100.7]:5555', '198.51.100.7'],
  ['9.9.9.9, 198.51.100.7:5555, 10.0.0.2:80, [fd00::2]:80', '198.51.100.7'],
  ['9.9.9.9, unknown', NEAR],
  ['9.9.9.9, _hidden, 10.0.0.2:80', '10.0.0.2'],
  ['9.9.9.9, ', NEAR],
  ['9.9.9.9, 198.51.100.7:', NEAR],
  ['9.9.9.9, 198.51.100.7:port', NEAR],
  ['9.9.9.9, [198.51.100.7]:5555', NEAR],
  ['9.9.9.9, [2001:db8::7', NEAR],
  ['9.9.9.9, [2001:db8::7]5555', NEAR],
  ['9.9.9.9, fe80::1%eth0', NEAR],
  ['9.9.9.9, 999.1.1.1', NEAR],
];

test('HTTP-11: an address counts with or without its port, and nothing left of an unreadable entry counts', () => {
  expect(READ.map(([header]) => [header, ipFor(header)])).toEqual(READ);
  expect(ipFor(null)).toBe(NEAR);
});

type Hop = readonly [kind: 'trusted' | 'other' | 'unreadable', ip: string, text: string];
const octet = integer({ min: 0, max: 255 });
const port = integer({ min: 1, max: 65_535 });
const v4 = (kind: 'trusted' | 'other', first: number) =>
  tuple(octet, octet, port, constantFrom('plain', 'port')).map(([a, b, at, form]): Hop => {
    const ip = `${first}.0.${a}.${b}`;
    return [kind, ip, form === 'port' ? `${ip}:${at}` : ip];
  });
const v6 = (kind: 'trusted' | 'other', first: string) =>
  tuple(port, port, constantFrom('plain', 'brackets', 'port')).map(([group, at, form]): Hop => {
    const ip = `${first}::${group.toString(16)}`;
    return [kind, ip, { plain: ip, brackets: `[${ip}]`, port: `[${ip}]:${at}` }[form]];
  });
const unreadable = constantFrom('unknown', '_a', '', '1.2.3', '1.2.3.4:x', '[1.2.3.4]', '[::1').map(
  (text): Hop => ['unreadable', '', text],
);
const hops = array(
  integer({ min: 0, max: 5 }).chain(
    (which) =>
      [
        v4('trusted', 10),
        v4('trusted', 10),
        v6('trusted', 'fd00'),
        v4('other', 203),
        v6('other', '2001:db8'),
        unreadable,
      ][which] ?? unreadable,
  ),
  { maxLength: 6 },
);

/** Slow and by the book: who spoke to whom, beginning at the server, as far as it was trusted. */
function expected(chain: readonly Hop[]): string {
  if (chain.length === 0) return NEAR;
  let speaker = NEAR;
  for (const [kind, ip] of chain.toReversed()) {
    if (kind === 'unreadable') return speaker;
    speaker = ip;
    if (kind === 'other') return speaker;
  }
  return speaker;
}

test('HTTP-11: for any chain the caller is the first untrusted address from the right, and no claim beyond it counts', () => {
  assert(
    property(hops, (chain) => {
      const header = chain.map(([, , text]) => text).join(', ');
      expect(ipFor(chain.length === 0 ? null : header)).toBe(expected(chain));
    }),
    { numRuns: 2_000 },
  );
});
