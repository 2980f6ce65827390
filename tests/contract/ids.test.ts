import * as v from 'valibot';
import { expect, test } from 'vitest';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { Engine } from '#contract/engine/engine.ts';
import type { BackupSession } from '#contract/engine/sessions.ts';
import type { EventOf } from '#contract/events.ts';
import type {
  BackupJobId,
  BackupRepositoryId,
  Bytes,
  CompanyN,
  JobN,
  KeyId,
  Ms,
  ProblemN,
  Seconds,
  TaskId,
  TenantId,
  UserId,
} from '#contract/ids.ts';
import type { IngestKeyRow, RunRow } from '#contract/runs/rows.ts';
import { CompanyRowSchema, UserRowSchema } from '#contract/users/rows.ts';

const tenant: TenantId = '6a2f0c1e-0000-4000-8000-000000000001';
const company: CompanyN = 7;
const at: Ms = 1_000;
// @ts-expect-error -- the number of a run's job is not the one of its company
const getCompany = (run: RunRow): CompanyN => run.job;
// @ts-expect-error -- the id of a key is no user's
const getHolder = (key: IngestKeyRow): UserId => key.id;
// @ts-expect-error -- the problem of a result is not its run
const getProblem = ({ n }: EventOf<'run.finished@1'>['data']): ProblemN => n;
// @ts-expect-error -- the repository of a backup job is not the job
const getBackupJob = (row: BackupJobRow): BackupJobId => row.repository;
// @ts-expect-error -- the id of a session is not its job's
const getJob = (session: BackupSession): BackupJobId => session.id;
const undoRepository = (engine: Engine, repository: BackupRepositoryId): unknown =>
  // @ts-expect-error -- a repository is no task that can be undone
  engine.undo({ tenant, organization: '', user: null }, { task: repository });
const startTask = (engine: Engine, task: TaskId): unknown =>
  // @ts-expect-error -- a task is no backup job
  engine.jobs.start({ tenant, organization: '', user: null }, { job: task, reason: 'manual' });

test('HOUSE-9: an id or unit of one kind does not fit another', () => {
  // @ts-expect-error -- the provider's id is no user's
  const user: UserId = tenant;
  // @ts-expect-error -- nor an ingest key's
  const key: KeyId = tenant;
  // @ts-expect-error -- the number of a company is no job's
  const job: JobN = company;
  // @ts-expect-error -- milliseconds are no seconds
  const seconds: Seconds = at;
  // @ts-expect-error -- nor bytes
  const bytes: Bytes = at;
  const later: Ms = at + 60_000;
  expect([user, key, job, seconds, bytes, later]).toEqual([
    tenant,
    tenant,
    7,
    1_000,
    1_000,
    61_000,
  ]);
});

test('HOUSE-9: stored rows have the kinds of their ids', () => {
  const user = v.parse(UserRowSchema, {
    id: 'one',
    roles: [],
    companies: [7],
    madeAt: 0,
    deletedAt: null,
  });
  const row = v.parse(CompanyRowSchema, { n: 7, id: 'seven', name: 'Seven', madeAt: 0 });
  // @ts-expect-error -- the id of a user is no provider's
  const provider: TenantId = user.id;
  // @ts-expect-error -- the number of a company is no job's
  const job: JobN = row.n;
  const typed = [
    getCompany,
    getHolder,
    getProblem,
    getBackupJob,
    getJob,
    undoRepository,
    startTask,
  ];
  expect([provider, job, typed.length]).toEqual(['one', 7, 7]);
});
