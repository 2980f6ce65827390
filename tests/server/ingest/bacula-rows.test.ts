import { expect, test } from 'vitest';
import { readBacula } from '#server/features/ingest/tools/bacula.ts';
import type { ToolQuery } from '#server/features/ingest/tools/tool-output.ts';
import { fixture } from './fixtures.ts';
import { getRun, read } from './tool-output.ts';

const rows = (): Record<string, unknown>[] =>
  JSON.parse(fixture('bacula-9.6.json')) as Record<string, unknown>[];
const bacula = (more: Record<string, unknown>, query: Partial<ToolQuery> = {}) =>
  getRun(readBacula, JSON.stringify([{ ...rows()[0], ...more }]), { job: null, ...query });

test('SRC-4: a full backup without a byte is a warning, as its folders count as files; so are those that replace one', () => {
  const folders = { JobFiles: 1, JobBytes: 0, ReadBytes: 0, JobErrors: 0, LogText: null };
  for (const Level of ['F', 'f', 'B'])
    expect([Level, bacula({ ...folders, Level })]).toMatchObject([
      Level,
      { status: 'Warning', message: 'Nothing was saved: 1 folder or empty file, no byte.' },
    ]);
  expect(bacula({ ...folders, Level: 'F', JobFiles: 3 }).message).toBe(
    'Nothing was saved: 3 folders or empty files, no byte.',
  );
  for (const Level of ['I', 'D'])
    expect([Level, bacula({ ...folders, Level }).status]).toEqual([Level, 'Success']);
  expect(bacula({ ...folders, Type: 'R', Level: 'F' }).status).toBe('Success');
  expect(bacula({ ...folders, Level: 'F', JobBytes: 1 }).status).toBe('Success');
});

test('SRC-4: the answer of a console of Bareos is read, and an answer without rows is not "no jobs"', () => {
  const [row] = rows();
  for (const body of [
    { jsonrpc: '2.0', id: null, result: { jobs: [row] } },
    { result: [row] },
    { jobs: [row] },
    row,
  ])
    expect(
      read(readBacula, JSON.stringify(body), { job: null }).executions.map(
        ({ execution }) => execution.job,
      ),
    ).toEqual(['BackupClient1']);
  for (const body of [{ jsonrpc: '2.0', id: null, result: { jobs: [] } }, { jobs: [] }, []])
    expect(read(readBacula, JSON.stringify(body))).toMatchObject({
      executions: [],
      rejected: [],
    });
  for (const body of [
    { jobs: { 5: row } },
    { result: { jobs: { 5: row } } },
    { result: 'error' },
    { jsonrpc: '2.0', id: null, error: { code: 1, message: 'failed' } },
    { result: {} },
    {},
    null,
    'error',
  ])
    expect([body, read(readBacula, JSON.stringify(body))]).toMatchObject([
      body,
      {
        executions: [],
        rejected: [{ index: 0, error: expect.stringContaining('Job table') as string }],
      },
    ]);
});

test('SRC-4: across a change of the clock the end is that of JobTDate, and no start is after it', () => {
  // Berlin, from 03:00 to 02:00 at 01:00Z: 02:30 in summer time until 02:20 in winter time.
  const row = {
    SchedTime: '2026-10-25 02:30:00',
    StartTime: '2026-10-25 02:30:00',
    EndTime: '2026-10-25 02:20:00',
    RealEndTime: '2026-10-25 02:20:00',
    JobTDate: Date.parse('2026-10-25T01:20:00Z') / 1000,
  };
  expect(bacula(row, { tz: 'Europe/Berlin' })).toMatchObject({
    startTime: '2026-10-25T00:30:00.000Z',
    endTime: '2026-10-25T01:20:00.000Z',
  });
  for (const tz of [null, '+01:00', '+02:00', 'America/New_York'])
    expect([tz, bacula(row, { tz })]).toMatchObject([
      tz,
      { startTime: '2026-10-25T01:20:00.000Z', endTime: '2026-10-25T01:20:00.000Z' },
    ]);
});
