import { expect, test } from 'vitest';
import { callOf, CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import { keyAccess } from '#contract/key-access.ts';
import { openApi } from '#server/platform/http/openapi.ts';
import { curlOf, describe, found } from '#src/features/auth/api-docs/parse-openapi.ts';
import type { ApiCall } from '#src/features/auth/api-docs/parse-openapi.ts';

const groups = describe(JSON.parse(JSON.stringify(openApi())));
const calls = groups.flatMap((group) => group.calls);
const call = (id: string): ApiCall => {
  const one = calls.find((other) => other.id === id);
  if (!one) throw new Error(id);
  return one;
};
const ids = (words: string, all = false): string[] =>
  found(groups, words, all).flatMap((group) => group.calls.map(({ id }) => id));

test('KEY-9: the page has every call once, under what it is about, with what a key needs for it', () => {
  expect(
    calls
      .map(({ id }) => id)
      .filter((id) => !id.startsWith('ping'))
      .toSorted((a, b) => a.localeCompare(b)),
  ).toEqual(Object.keys(CALLS).toSorted((a, b) => a.localeCompare(b)));
  for (const name of Object.keys(CALLS) as CallName[]) {
    const { gate } = callOf(name);
    const needs = keyAccess(name);
    const who =
      needs !== null
        ? { is: 'key', abilities: needs === 'any' ? [] : [needs] }
        : { is: gate === 'public' ? 'everybody' : gate === 'ingest-key' ? 'ingest-key' : 'person' };
    expect([name, call(name).who, call(name).says, call(name).path]).toEqual([
      name,
      who,
      callOf(name).summary,
      `/api/v1/${callOf(name).path}`,
    ]);
  }
  expect([call('pingJobGet').path, call('pingJobGet').who]).toEqual([
    '/ping/{key}/{slug}',
    { is: 'address' },
  ]);
});

test('KEY-9: what a call takes and answers is told field by field, and how it fails', () => {
  expect(
    call('events').parameters.map(({ name, place, required }) => [name, place, required]),
  ).toEqual([
    ['after', 'in the query', true],
    ['epoch', 'in the query', true],
    ['limit', 'in the query', false],
    ['protocol', 'in the query', false],
    ['sources', 'in the query', false],
  ]);
  const made = call('makeApiKey');
  expect([
    made.parameters.map(({ name }) => name),
    typeof made.body === 'object' &&
      made.body?.fields.map(({ name, type, required }) => [
        name,
        type.split('|')[0]?.trim(),
        required,
      ]),
  ]).toEqual([
    ['id'],
    [
      ['name', 'string', true],
      ['abilities', 'list of "admin.dashboard"', true],
      ['until', 'integer', true],
    ],
  ]);
  expect(
    typeof made.answer === 'object' &&
      made.answer.fields.map(({ name, depth }) => [name, depth]).slice(0, 3),
  ).toEqual([
    ['key', 0],
    ['id', 1],
    ['name', 1],
  ]);
  expect(call('exportCompanies').answer).toBe('application/octet-stream');
  expect(call('ingestRestic').body).toBe('raw');
  expect(call('changeExecution').failures.find(({ status }) => status === '409')?.kinds).toEqual([
    'conflict',
    'out-of-order',
  ]);
  for (const { id, failures } of calls.filter((one) => !one.id.startsWith('ping')))
    expect([
      id,
      failures.every(({ kinds, says }) => kinds.length > 0 && says !== '' && !says.includes('`')),
    ]).toEqual([id, true]);
});

test('KEY-9: an example is a line for a shell, with the key where it belongs and what has to be sent', () => {
  expect(curlOf(call('events'), 'https://p.example')).toBe(
    'curl \'https://p.example/api/v1/sync/events?after=0&epoch=EPOCH\' \\\n  -H "Authorization: Bearer $DAYBOOK_KEY"',
  );
  expect(curlOf(call('changeExecution'), 'https://p.example')).toContain(
    `-X PUT 'https://p.example/api/v1/monitoring/backoffice/jobExecutions/{id}'`,
  );
  expect(curlOf(call('changeExecution'), '')).toContain(`-d '{"change":{"is":"review"`);
  expect(curlOf(call('ingestRestic'), '')).toContain(
    'Bearer $DAYBOOK_INGEST_KEY" \\\n  --data-binary @FILE',
  );
  expect(curlOf(call('exportCompanies'), '')).toContain('-o FILE');
  for (const one of calls)
    expect([
      one.id,
      curlOf(one, '').includes('undefined'),
      curlOf(one, '').includes('$DAYBOOK_KEY'),
    ]).toEqual([one.id, false, one.who.is === 'key']);
});

test('KEY-9: words find calls by name, path, ability and group; calls for people only where all are asked for', () => {
  expect(ids('sync/events')).toEqual(['events']);
  expect(ids('RULES test post')).toEqual(['testRule']);
  expect(ids('monitoring.licensing-export')).toEqual(['exportLicensing']);
  expect([ids('passkey'), ids('passkey', true).length > 2, ids('no such thing', true)]).toEqual([
    [],
    true,
    [],
  ]);
  expect(ids('').length).toBeLessThan(ids('', true).length);
  expect(ids('', true).length).toBe(calls.length);
});

test('KEY-9: a description that is none gives nothing, and breaks nothing', () => {
  for (const page of [
    null,
    1,
    'x',
    [],
    {},
    { paths: 1, tags: 2 },
    { tags: [{ name: 'a' }], paths: { '/x': { get: null, put: { tags: ['a'] } } } },
  ])
    expect(() => describe(page)).not.toThrow();
  expect(describe(null)).toEqual([]);
});
