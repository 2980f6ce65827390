import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { findStoredRepository } from '#server/engine/embedded/repositories/repositories.ts';
import { beginAttaching, loadAttachment } from '#server/features/backup/attach-command.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { getKind } from '../engine/restic/fixtures.ts';
import { makeFixture } from '../http/fixtures.ts';
import { type Caller, connect, create, makeTenant, SIZE } from './connected.ts';
import { job, repository } from './fixtures.ts';

const folders: string[] = [];
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-attach-'));
  folders.push(folder);
  return folder;
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
const REFUSAL =
  'No repository with this ID and password has backups of this organization. Check the ID, the password, and the organization.';

const attach = async (as: Caller, id: string, body: object) => {
  const { status, body: answer } = await as('POST', `o365/repositories/${id}/attach`, body);
  return [status, answer.message];
};

const makeServer = async (repositoriesDir: string) =>
  makeFixture({ repositoriesDir }, await freshStore(ONE));

test('ENG-4, G72: a repository is attached on a fresh server by who has its password and tenant, and by nobody else', async () => {
  const first = await makeServer(makeFolder());
  const tenant = makeTenant(first, 3);
  const former = await connect(first, tenant);
  const id = await create(
    former.admin,
    'o365/repositories',
    repository(former.organization, { password: 'correct horse', repeatPassword: 'correct horse' }),
  );
  await create(former.admin, 'o365/jobs', job(former.organization, id, { runNow: true }));
  await makeJobRunner(first.context, {
    'backup-session': allJobs(first.context)['backup-session'],
  }).tick();

  // Another provider of the same server, even with the password and the same tenant.
  const neighbor = await connect(first, tenant);
  const password = 'correct horse';
  const own = { organizationId: neighbor.organization, password };
  expect(await attach(neighbor.admin, id, own)).toEqual([404, REFUSAL]);

  const folder = makeFolder();
  cpSync(first.context.config.repositoriesDir ?? '', folder, { recursive: true });
  const second = await makeServer(folder);
  const stranger = await connect(second, makeTenant(second, 4));
  expect(
    await attach(stranger.admin, id, { organizationId: stranger.organization, password }),
  ).toEqual([404, REFUSAL]);
  const next = await connect(second, tenant);
  const good = { organizationId: next.organization, password };
  expect(await attach(next.admin, id, { ...good, password: 'wrong horse' })).toEqual([
    404,
    REFUSAL,
  ]);
  expect(await attach(next.admin, randomUUID(), good)).toEqual([404, REFUSAL]);
  expect(await attach(next.admin, '..', good)).not.toContain(200);
  const bound = await next.office.as('bound', ['o365_admin'], [1]);
  expect((await attach(bound, id, good))[0]).toBe(403);
  expect((await next.admin('GET', 'o365/repositories')).body.data).toMatchObject({ count: 0 });

  expect((await attach(next.admin, id, { ...good, retentionPolicy: 'Year1' }))[0]).toBe(200);
  const { context } = second;
  expect(getKind(await findStoredRepository(context, next.office.tenant, id))).toBe('busy');
  expect((await next.admin('GET', 'o365/repositories')).body.data).toMatchObject({
    rows: [
      {
        id,
        organizationId: next.organization,
        points: 0,
        retentionPolicy: 'Keep',
        shortened: { retentionPolicy: 'Year1' },
        attachment: { isDone: false, problems: [] },
      },
    ],
  });
  const runner = makeJobRunner(context, {
    'repository-attachment': allJobs(context)['repository-attachment'],
  });
  await runner.tick();
  expect((await next.admin('GET', 'o365/repositories')).body.data).toMatchObject({
    rows: [{ points: 1, attachment: { isDone: true, points: { done: 1, total: 1 } } }],
  });
  const list = async ({ admin, organization: organizationId }: typeof next): Promise<unknown> => {
    const session = await create(admin, 'o365/restore/restoresessions', {
      organizationId,
      datetime: context.clock.now(),
      sessionType: 'Vex',
    });
    const { data } = (
      await admin<{ rows: { name: string; children: number }[] }>(
        'GET',
        `o365/restore/restoresessions/${session}/mailboxes`,
      )
    ).body;
    return data.rows.map(({ name, children }) => [name, children]);
  };
  expect(await list(next)).toHaveLength(SIZE.people);
  expect(await list(next)).toEqual(await list(former));

  // By the command, into the third database.
  const third = await makeServer(folder);
  const last = await connect(third, tenant);
  const request = { repository: id, password, storage: null, retentionType: 'ItemLevel' } as const;
  const begin = (organization: string) =>
    beginAttaching(third.context, last.office.tenant, { ...request, organization });
  expect(await begin('nobody.example.com')).toEqual({ kind: 'no-organization' });
  expect(await begin(tenant.domain)).toMatchObject({ kind: 'begun' });
  await makeJobRunner(third.context, {
    'repository-attachment': allJobs(third.context)['repository-attachment'],
  }).tick();
  expect(
    await loadAttachment(third.context, last.office.tenant, last.organization, id),
  ).toMatchObject({ ok: true, value: { isDone: true, points: { done: 1 } } });
  expect((await last.admin('GET', 'o365/repositories')).body.data).toMatchObject({
    rows: [{ id, points: 1, retentionType: 'ItemLevel', retentionPolicy: 'Keep' }],
  });
});

/** Returns what the command says about wrong words. */
async function refuse(words: readonly string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, ['server/attach.ts', ...words], {
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const error: unknown = await run.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 2 });
  return (error as { stderr: string }).stderr;
}

test('ENG-4: the command says what it needs', async () => {
  expect(await refuse(['localhost'])).toMatch(
    /^The argument ORGANIZATION is missing\.\n\nUsage: npm run attach -- HOST ORGANIZATION REPOSITORY /,
  );
  const needs =
    'It needs --endpoint and --bucket, and the access key in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.\n';
  const named = ['localhost', 'office.example.com', randomUUID(), '--endpoint'];
  expect(await refuse([...named, 'https://s3.example.com'])).toContain(
    `Check the bucket: bucket, accessKeyId, secretAccessKey. ${needs}`,
  );
  expect(
    await refuse([...named, 'https://s3.example.com', '--certificate', '/no/such/file']),
  ).toMatch(/^The file \/no\/such\/file can't be read\.\n\nUsage: /);
  expect(await refuse([...named.slice(0, 3), '--buckets', 'backups'])).toMatch(
    /^Unknown option --buckets\.\n/,
  );
});
