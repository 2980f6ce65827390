import { expect, test } from 'vitest';
import {
  findStartObstacle,
  getPreviousJob,
  listChain,
  listFollowers,
  type ObstructedJob,
} from '#contract/backup/chains.ts';
import { obstacleText } from '#contract/backup/obstacle-text.ts';
import type { Schedule } from '#contract/backup/schedule.ts';

const DAILY: Schedule = { type: 'Daily', dailyType: 'Everyday', dailyTime: '22:00' };
const after = (chainedAfter: string): Schedule => ({ type: 'Chained', chainedAfter });
interface Changes {
  readonly enabled?: boolean;
  readonly removedAt?: number | null;
  readonly backupWindow?: string | null;
}
const job = (
  id: string,
  schedule: Schedule,
  { enabled = true, removedAt = null, backupWindow = null }: Changes = {},
): ObstructedJob => ({
  id,
  name: id.toUpperCase(),
  enabled,
  removedAt,
  schedulePolicy: { schedule, backupWindow, retryNumber: 0, retryWaitInterval: 10 },
});
const toMap = (...jobs: ObstructedJob[]) => new Map(jobs.map((one) => [one.id, one]));

/** A daily job, one after it and one after that: with what is different about each. */
const chain = (a: Changes | null, b: Changes = {}, c: Changes = {}, first: Schedule = DAILY) =>
  toMap(
    ...(a === null ? [] : [job('a', first, a)]),
    job('b', after('a'), b),
    job('c', after('b'), c),
  );
function why(jobs: ReadonlyMap<string, ObstructedJob>, id: string): string | null {
  const one = jobs.get(id);
  const obstacle = one && findStartObstacle(one, jobs);
  return obstacle ? obstacleText(obstacle) : null;
}

test('PLAN-4: a chain is listed up to its first job, and ends where it would repeat itself', () => {
  const ids = (jobs: ReadonlyMap<string, ObstructedJob>, id: string) => {
    const { chain: found, isCycle } = listChain(jobs.get(id) ?? job(id, DAILY), jobs);
    return [found.map((one) => one.id).join(), isCycle];
  };
  expect([
    ids(chain({}), 'a'),
    ids(chain({}), 'c'),
    ids(chain(null), 'c'),
    ids(toMap(job('a', after('a'))), 'a'),
    ids(toMap(job('a', after('b')), job('b', after('c')), job('c', after('b'))), 'a'),
  ]).toEqual([
    ['a', false],
    ['c,b,a', false],
    ['c,b', false],
    ['a', true],
    ['a,b,c', true],
  ]);
});

test('PLAN-4: a deleted job starts no other, and a deleted follower needs none', () => {
  const jobs = chain({ removedAt: 5 });
  expect(getPreviousJob(jobs.get('b') ?? job('b', DAILY), jobs)).toBeNull();
  expect(getPreviousJob(jobs.get('c') ?? job('c', DAILY), jobs)?.id).toBe('b');
  expect(listFollowers('a', chain({}).values()).map(({ id }) => id)).toEqual(['b']);
  expect(listFollowers('a', chain({}, { removedAt: 5 }).values())).toEqual([]);
});

test('PLAN-5: a job says why its schedule never starts it, whichever job of its chain is the cause', () => {
  const deleted =
    'The job A, which this job follows, was deleted. Choose another schedule for this job.';
  const disabled =
    'The job A, which this job follows, is disabled. Enable it or choose another schedule for this job.';
  const [shut, unknown] = ['0'.repeat(168), null];
  for (const id of ['b', 'c'])
    expect([
      why(chain({}), id),
      why(chain({ removedAt: 5 }), id),
      why(chain(unknown), id),
      why(chain({ enabled: false }), id),
      why(chain({ backupWindow: shut }), id),
      why(chain({ backupWindow: `${'0'.repeat(167)}1` }), id),
      // Whoever starts the first job starts the others.
      why(chain({}, {}, {}, { type: 'Disabled' }), id),
    ]).toEqual([
      null,
      deleted,
      'The job that this one follows was deleted. Choose another schedule for this job.',
      disabled,
      'The backup window of the job A, which this job follows, has no hours. Choose at least one hour.',
      null,
      null,
    ]);
  expect([
    why(chain({}, {}, { enabled: false }), 'c'),
    why(chain({ backupWindow: shut }), 'a'),
    why(toMap(job('a', after('b')), job('b', after('a'))), 'a'),
  ]).toEqual([
    null,
    'The backup window has no hours. Choose at least one hour.',
    'These jobs wait for each other. Choose another schedule for one of them.',
  ]);
});
