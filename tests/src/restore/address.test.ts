import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { restoreAddress, restorePlace, SORTS } from '#src/features/restore/address.ts';
import type { RestorePlace } from '#src/features/restore/address.ts';

const PAGE = '/o365/restore/outlook';
const ORGANIZATION = '10000000-0000-4000-8000-000000000001';
const read = (address: string): RestorePlace =>
  restorePlace(new URL(address, 'https://portal.example.com').search);

test('RES-30: the address has the organization, the point, the place, the item, the search and the order', () => {
  const address = `${PAGE}?organization=${ORGANIZATION}&point=1790000000000&deleted=true&path=o1~f1.2&item=i1.7@345&q=rota&sort=-size`;
  const place: RestorePlace = {
    organization: ORGANIZATION,
    at: 1_790_000_000_000,
    showDeleted: true,
    path: ['o1', 'f1.2'],
    item: { id: 'i1.7', index: 345 },
    text: 'rota',
    sort: '-size',
    locate: null,
    find: null,
  };
  expect(read(address)).toEqual(place);
  expect(decodeURIComponent(restoreAddress(PAGE, place))).toBe(address);
});

test('RES-30: any place survives its address', () => {
  const id = fc.stringMatching(/^[\w.-]{1,64}$/);
  const place: fc.Arbitrary<RestorePlace> = fc.record({
    organization: fc.option(fc.uuid()),
    at: fc.option(fc.nat()),
    showDeleted: fc.boolean(),
    path: fc.array(id, { maxLength: 20 }),
    item: fc.option(fc.record({ id, index: fc.nat(9_999_999) })),
    text: fc.string({ maxLength: 100 }),
    sort: fc.constantFrom(...SORTS),
    locate: fc.option(id),
    find: fc.option(
      fc.record({
        text: fc.string({ maxLength: 100 }),
        sessionType: fc.option(fc.constantFrom('Vex', 'Veod', 'Vesp', 'Vet')),
        deleted: fc.option(fc.boolean()),
      }),
    ),
  });
  fc.assert(
    fc.property(place, (one) => {
      expect(read(restoreAddress(PAGE, one))).toEqual(one);
    }),
  );
});

test('RES-30: a hostile or broken address opens what can be read of it', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (organization, path, item) => {
      const query = new URLSearchParams({ organization, path, item, point: item, sort: path });
      const place = restorePlace(`?${query}`);
      expect(place.organization ?? 'x').toMatch(/^[\w.-]{1,64}$/);
      for (const id of place.path) expect(id).toMatch(/^[\w.-]{1,64}$/);
    }),
  );
  expect(restorePlace('?path=o1~f1.1~%2Fetc~f1.2').path).toEqual(['o1', 'f1.1']);
  expect(restorePlace('?point=soon&item=i1.1&sort=color')).toMatchObject({
    at: null,
    item: null,
    sort: '-date',
  });
});
