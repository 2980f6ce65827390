import * as v from 'valibot';
import { expect, test } from 'vitest';
import type { Call } from '#contract/call.ts';
import { CALLS } from '#contract/calls.ts';
import { readInput } from '#server/platform/http/input.ts';
import { systemClock } from '#server/platform/clock.ts';

/** What a caller gets to know about its fields, by their paths. */
async function refuse(call: Call, body: object): Promise<Readonly<Record<string, string>>> {
  const inQuery = call.method === 'GET' || call.method === 'DELETE';
  const query = new URLSearchParams(
    Object.entries(body).map(([key, value]) => [key, String(value)]),
  );
  const request = inQuery
    ? new Request(`https://portal.example.com/?${query}`, { method: call.method })
    : new Request('https://portal.example.com/', {
        method: call.method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
  const read = await readInput(call, request, {}, systemClock);
  if (read.ok || read.failure.kind !== 'bad-input') return {};
  return Object.fromEntries(
    (read.failure.issues ?? []).map(({ path, message }) => [path, message]),
  );
}

const policy = (schedule: object, more: object = {}): object => ({
  schedulePolicy: {
    schedule,
    backupWindow: null,
    retryNumber: 0,
    retryWaitInterval: 10,
    ...more,
  },
});

test('SUITE-2: a refused field says in words what is expected, never as a pattern', async () => {
  const { createBackupJob, createBackupRepository, listMailItems, listSubscriptions } = CALLS;
  const daily = { type: 'Daily', dailyType: 'Everyday', dailyTime: '25:00' };
  expect(await refuse(createBackupJob, policy(daily, { retryNumber: -1 }))).toMatchObject({
    'schedulePolicy.schedule.dailyTime': 'Expected a time such as 07:30.',
    'schedulePolicy.retryNumber': 'Expected at least 0.',
  });
  expect(await refuse(listMailItems, { offset: '-1', limit: 'all' })).toMatchObject({
    offset: expect.stringMatching(/^Expected a whole number from 0/) as string,
    limit: expect.stringMatching(/^Expected a whole number from 1/) as string,
  });
  expect(await refuse(listSubscriptions, { month: 'May', year: '26.5' })).toEqual({
    month: 'Expected a whole number of up to four digits.',
    year: 'Expected a whole number of up to four digits.',
  });
  expect(
    await refuse(createBackupRepository, { repository: '', storage: { bucket: 'A' } }),
  ).not.toEqual({});
  // Whatever is sent to any call.
  const wrong = [-1, 0, 1e12, 0.5, '', '~', 'x'.repeat(5_000), [], {}, null, true, [-1], ['~']];
  const seen = new Set<string>();
  for (const call of Object.values<Call>(CALLS)) {
    const fields = Object.keys('entries' in call.input ? (call.input.entries as object) : {});
    for (const value of wrong) {
      const body = Object.fromEntries(fields.map((field) => [field, value]));
      for (const message of Object.values(await refuse(call, body))) seen.add(message);
    }
  }
  expect(seen.size).toBeGreaterThan(20);
  expect([...seen].filter((text) => /\/\^|\\[dpsw]|[<>]=?\d|\(\?/.test(text))).toEqual([]);
});

test('SUITE-2: what was sent is never repeated', async () => {
  const secret = 'Invalid format: Expected s3cret but received s3cret';
  const call: Call = {
    ...CALLS.createBackupJob,
    input: v.strictObject({ code: v.pipe(v.string(), v.regex(/^\d$/)) }),
  };
  expect(await refuse(call, { code: secret })).toEqual({ code: 'Not valid.' });
});
