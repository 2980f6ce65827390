import { expect, test } from 'vitest';
import { getCall, CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import { keyAccess } from '#contract/key-access.ts';
import { openApi } from '#server/platform/http/openapi.ts';
import { getCurl, describe, found } from '#src/features/auth/api-docs/parse-openapi.ts';
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

test('KEY-9: the page lists every call once, by subject, with the permissions that a key needs', () => {
  expect(
    calls
      .map(({ id }) => id)
      .filter((id) => !id.startsWith('ping'))
      .toSorted((a, b) => a.localeCompare(b)),
  ).toEqual(Object.keys(CALLS).toSorted((a, b) => a.localeCompare(b)));
  for (const name of Object.keys(CALLS) as CallName[]) {
    const { gate } = getCall(name);
    const needs = keyAccess(name);
    const who =
      needs !== null
        ? { kind: 'key', abilities: needs === 'any' ? [] : [needs] }
        : {
            kind: gate === 'public' ? 'everybody' : gate === 'ingest-key' ? 'ingest-key' : 'person',
          };
    expect([name, call(name).who, call(name).description, call(name).path]).toEqual([
      name,
      who,
      getCall(name).summary,
      `/api/v1/${getCall(name).path}`,
    ]);
  }
  expect([call('pingJobGet').path, call('pingJobGet').who]).toEqual([
    '/ping/{key}/{slug}',
    { kind: 'address' },
  ]);
});

test('KEY-9: the input, output and errors of a call are described field by field', () => {
  expect(
    call('events').parameters.map(({ name, place, required }) => [name, place, required]),
  ).toEqual([
    ['after', 'in the query', true],
    ['epoch', 'in the query', true],
    ['limit', 'in the query', false],
    ['protocol', 'in the query', false],
    ['sources', 'in the query', false],
  ]);
  const made = call('createApiKey');
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
      failures.every(
        ({ kinds, description }) =>
          kinds.length > 0 && description !== '' && !description.includes('`'),
      ),
    ]).toEqual([id, true]);
});

test('KEY-9: an example is a shell command with the key and the required input', () => {
  expect(getCurl(call('events'), 'https://p.example')).toBe(
    'curl \'https://p.example/api/v1/sync/events?after=0&epoch=EPOCH\' \\\n  -H "Authorization: Bearer $DAYBOOK_KEY"',
  );
  expect(getCurl(call('changeExecution'), 'https://p.example')).toContain(
    `-X PUT 'https://p.example/api/v1/monitoring/backoffice/jobExecutions/{id}'`,
  );
  expect(getCurl(call('changeExecution'), '')).toContain(`-d '{"change":{"kind":"review"`);
  expect(getCurl(call('ingestRestic'), '')).toContain(
    'Bearer $DAYBOOK_INGEST_KEY" \\\n  --data-binary @FILE',
  );
  expect(getCurl(call('exportCompanies'), '')).toContain('-o FILE');
  for (const one of calls)
    expect([
      one.id,
      getCurl(one, '').includes('undefined'),
      getCurl(one, '').includes('$DAYBOOK_KEY'),
    ]).toEqual([one.id, false, one.who.kind === 'key']);
});

test('KEY-9: a search finds calls by name, path, ability and group; calls for people only if all calls are shown', () => {
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

test('KEY-9: an invalid description returns no calls and does not throw', () => {
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
