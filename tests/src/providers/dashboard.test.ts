import { expect, test } from 'vitest';
import type { ProviderOverview } from '#contract/providers/admin-calls.ts';
import {
  getProviderFigures,
  roleCounts,
  storageTroubles,
  countTroubles,
} from '#src/features/providers/dashboard/figures.ts';

const HOUR = 3_600_000;
const NOW = 1_770_000_000_000;
const quiet: ProviderOverview = {
  _id: 'a',
  name: 'Own',
  hosts: [],
  own: true,
  users: [
    { role: 'admin', users: 2 },
    { role: 'operator', users: 3 },
  ],
  active: 4,
  signedIn: 1,
  companies: 5,
  jobs: 700,
  ingest: {
    hour: 10,
    day: 240,
    bytes: 5_000_000,
    limitBytes: 4_000_000_000,
    logsDropped: 0,
    refusedAt: null,
  },
  sync: { sources: 2, failed: [], at: NOW - HOUR },
  outgoing: { waiting: 0, failed: 0, oldest: null },
  quarantine: 0,
  events: 1_000,
};

test("ADMIN-4: figures are the sums of the server's counts, each with a description", () => {
  const figures = getProviderFigures([quiet, { ...quiet, _id: 'b', jobs: 301, events: 24 }]);
  expect(figures.map(({ name, value }) => [name, value])).toEqual([
    ['Users', '8'],
    ['Signed in now', '2'],
    ['Companies', '10'],
    ['Jobs', '1,001'],
    ['Results, last hour', '20'],
    ['Results, last day', '480'],
    ['Unsent', '0'],
    ['Events', '1,024'],
  ]);
  expect(figures.every(({ description }) => description.length > 0)).toBe(true);
  expect(roleCounts([quiet, { ...quiet, users: [{ role: 'sub-sp', users: 1 }] }])).toEqual([
    { role: 'operator', users: 3 },
    { role: 'admin', users: 2 },
    { role: 'sub-sp', users: 1 },
  ]);
});

test('ADMIN-4: problems are listed worst first, with the provider; without problems the list is empty', () => {
  expect(countTroubles([quiet], NOW)).toEqual([]);
  const bad: ProviderOverview = {
    ...quiet,
    _id: 'b',
    name: 'Below',
    sync: {
      sources: 3,
      failed: [{ entity: 'Key 2', at: NOW - 5, message: 'No JSON.' }],
      at: NOW - 30 * HOUR,
    },
    outgoing: { waiting: 4, failed: 1, oldest: NOW - 2 * HOUR },
    quarantine: 7,
  };
  const troubles = countTroubles([quiet, bad], NOW);
  expect(troubles.map(({ tone, label }) => `${tone} ${label}`)).toEqual([
    'failed Failed',
    'failed Not sent',
    'warning Waiting',
    'warning No data',
    'warning Quarantined',
  ]);
  expect(troubles.every(({ provider }) => provider === 'Below')).toBe(true);
  expect(troubles[0]).toMatchObject({ title: 'Source Key 2', detail: 'No JSON.', at: NOW - 5 });
  expect(new Set(troubles.map(({ key }) => key)).size).toBe(5);
});

test('ADMIN-4: a provider without sources is not reported as silent, and a short mail queue is no problem', () => {
  expect(
    countTroubles(
      [
        {
          ...quiet,
          sync: { sources: 0, failed: [], at: null },
          outgoing: { waiting: 1, failed: 0, oldest: NOW - 5 * 60_000 },
        },
      ],
      NOW,
    ),
  ).toEqual([]);
  expect(
    countTroubles([{ ...quiet, sync: { sources: 1, failed: [], at: null } }], NOW)[0],
  ).toMatchObject({ label: 'No data', detail: 'No source has reported yet.' });
});

test('STORE-11, ADMIN-4: a server without disk space says so, with the free space and what happens until then', () => {
  const storage = {
    freeBytes: 20_000_000,
    totalBytes: 400_000_000,
    floorBytes: 25_165_824,
    flushes: true,
  };
  expect([storageTroubles(null), storageTroubles({ ...storage, state: 'ok' })]).toEqual([[], []]);
  for (const state of ['low', 'full'] as const) {
    const [trouble] = storageTroubles({ ...storage, state });
    expect(trouble).toMatchObject({ tone: 'failed', title: 'The server is out of disk space' });
    expect(trouble?.detail).toMatch(/^20(\.0)? MB of 400(\.0)? MB free\./);
  }
});

test("STORE-16: a server that doesn't flush its database says so, also with enough space", () => {
  const storage = {
    state: 'ok',
    freeBytes: 200_000_000,
    totalBytes: 400_000_000,
    floorBytes: 25_165_824,
    flushes: false,
  } as const;
  expect(storageTroubles(storage)).toEqual([
    expect.objectContaining({
      tone: 'warning',
      title: 'A power cut may lose the last changes',
    }),
  ]);
  expect(storageTroubles({ ...storage, state: 'full' })).toHaveLength(2);
});

test('ADMIN-4, LOG-11: a damaged log is a failure with the time of its check; a whole one and an older server are none', () => {
  const checked = (damagedParts: number): ProviderOverview => ({
    ...quiet,
    log: { checkedAt: NOW - HOUR, damagedParts },
  });
  expect(countTroubles([checked(0), quiet], NOW)).toEqual([]);
  expect(countTroubles([checked(2)], NOW)).toMatchObject([
    { tone: 'failed', label: 'Damaged', title: 'The event log is damaged', at: NOW - HOUR },
  ]);
});
