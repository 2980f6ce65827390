import { expect, test } from 'vitest';
import type { LastSync } from '#contract/sync/calls.ts';
import {
  failingSources,
  failureSentence,
  mendAddress,
} from '#src/app/shell/sync-status/failing-sources.ts';

const AT = Date.parse('2026-11-20T02:00:00Z');
const connection = (part: string, at: number): LastSync['failed'][number] => ({
  entity: `Proxmox: ${part}`,
  at,
  message: 'HTTP 500',
  kind: 'connection',
  id: 'c1',
  name: 'Proxmox',
  company: 'Harbor Dental',
});
const key: LastSync['failed'][number] = {
  entity: 'restic',
  at: AT - 1_000,
  message: 'Not JSON',
  kind: 'key',
  id: 'k1',
  name: 'restic',
  company: null,
};

test('SYNC-15: parts of one connection are one source, by its name and company, with the time of its newest failure first', () => {
  const sources = failingSources([connection('Jobs', AT - 5_000), key, connection('Sessions', AT)]);
  expect(sources.map(({ name, at, parts }) => [name, at, parts])).toEqual([
    [
      'Proxmox at Harbor Dental',
      AT,
      [
        { name: 'Jobs', message: 'HTTP 500' },
        { name: 'Sessions', message: 'HTTP 500' },
      ],
    ],
    ['restic', AT - 1_000, [{ name: null, message: 'Not JSON' }]],
  ]);
  expect(failureSentence(sources)).toBe(
    '2 sources failed to sync: Proxmox at Harbor Dental, restic',
  );
  expect(sources.map(mendAddress)).toEqual([
    '/monitoring/connections#connection-c1',
    '/monitoring/sources#source-k1',
  ]);
});

test('SYNC-15: one source and many sources are each one sentence that can be read', () => {
  expect(failureSentence(failingSources([key]))).toBe('1 source failed to sync: restic');
  const many = Array.from({ length: 1_200 }, (_, i) => ({
    ...key,
    id: `k${i}`,
    name: `key ${i}`,
    entity: `key ${i}`,
    at: AT - i,
  }));
  expect(failureSentence(failingSources(many))).toBe(
    '1,200 sources failed to sync: key 0, key 1, key 2, and 1,197 more',
  );
});
