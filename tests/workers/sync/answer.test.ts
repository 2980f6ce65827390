import { expect, test } from 'vitest';
import { parseFailure, readAnswer } from '#workers/sync/answer.ts';
import { pagesIn } from '#workers/sync/frames.ts';
import { STATUS_OF } from '#contract/errors.ts';
import { encodeColumns } from '#contract/runs/columns.ts';
import { run as makeRun } from '../columns/lean-run.ts';

const NOW = Date.UTC(2026, 5, 15, 6);
const getKind = (status: number, body: unknown = null, headers: Record<string, string> = {}) =>
  parseFailure(new Response(null, { status, headers }), body, NOW);

const wait = (header: string): unknown =>
  (getKind(503, null, { 'retry-after': header }) as { retryAfterMs: number }).retryAfterMs;
const read = (body: string) => readAnswer('events', new Response(body), NOW);

test('SYNC-8: every failure of the contract arrives as itself, and every bare status as the nearest one', () => {
  for (const [kind, status] of Object.entries(STATUS_OF)) {
    expect(getKind(status, { success: false, message: 'said', error: { kind } })).toMatchObject({
      kind,
      message: 'said',
    });
  }
  expect(
    [401, 404, 400, 409, 418, 426, 429, 500, 502, 503, 504, 507].map(
      (status) => getKind(status).kind,
    ),
  ).toEqual([
    'expired',
    'no-answer',
    'no-answer',
    'no-answer',
    'no-answer',
    'update-needed',
    'too-many',
    'server-error',
    'busy',
    'busy',
    'busy',
    'out-of-space',
  ]);
  // Kinds that a device makes itself, and words that no list holds, are not believed.
  expect(getKind(400, { message: '', error: { kind: 'storage' } }).kind).toBe('no-answer');
  expect(getKind(500, { message: '', error: { kind: 'toString' } }).kind).toBe('server-error');
});

test('SYNC-8: Retry-After is read in seconds and as a date, and never silences a device for more than an hour', () => {
  expect(
    [
      '3',
      'Mon, 15 Jun 2026 06:00:20 GMT',
      'soon',
      '-4',
      '999999999',
      'Mon, 15 Jun 2020 06:00:20 GMT',
    ].map(wait),
  ).toEqual([3_000, 20_000, 0, 0, 3_600_000, 0]);
});

test('SYNC-8: a response is its data, or no answer', async () => {
  expect(await read('{"success":true,"data":{"a":1}}')).toEqual({ ok: true, value: { a: 1 } });
  for (const body of ['', '<html>', '{"success":tr', 'null', '{"success":false}', '[1]'])
    expect(await read(body)).toMatchObject({ ok: false, failure: { kind: 'no-answer' } });
});

test('SYNC-4: framed pages survive unchanged; a cut or invalid page is refused', () => {
  const page = encodeColumns([
    makeRun(1, { job: 2, company: 3, startSec: 4, elapsedSec: null, bytes: null, message: 'ä' }),
  ]);
  const framed = new Uint8Array(2 * (4 + page.length));
  for (const at of [0, 4 + page.length]) {
    new DataView(framed.buffer).setUint32(at, page.length, true);
    framed.set(page, at + 4);
  }
  expect(pagesIn(framed.buffer).map(({ rows }) => rows)).toEqual([1, 1]);
  expect(pagesIn(new ArrayBuffer(0))).toEqual([]);
  for (const cut of [1, 3, 7, framed.length - 1])
    expect(() => pagesIn(framed.slice(0, cut).buffer)).toThrow(RangeError);
});
