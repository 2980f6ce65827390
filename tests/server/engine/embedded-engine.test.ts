import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { EngineScope } from '#contract/engine/engine.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { aTenant } from '../db/drafts.ts';
import { makeFixture } from '../http/fixtures.ts';
import { connectWithSecret, createBackup } from './organization.ts';
import { getKind, getValue } from './restic/fixtures.ts';

const ROLES = [
  'Mail.Read',
  'Calendars.Read',
  'Contacts.Read',
  'Tasks.Read.All',
  'Files.Read.All',
  'User.Read.All',
  'Sites.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
];
const folder = mkdtempSync(join(tmpdir(), 'daybook-engine-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('ENG-33: a connected tenant is backed up when its job is due, by the jobs of the server alone', async () => {
  const fixture = await makeFixture({ repositoriesDir: folder }, await freshStore(ONE));
  const { context } = fixture;
  const { store, clock } = context;
  const tenant = await aTenant(store);
  const office = createDemoTenant({
    file: null,
    seed: 3,
    now: () => clock.now(),
    size: {
      people: 4,
      minMails: 5,
      maxMails: 12,
      minFiles: 3,
      maxFiles: 6,
      maxFileBytes: 50_000,
    },
  });
  context.cloud.connectTo((request) => office.fetch(request));
  const scope: EngineScope = { tenant, organization: randomUUID(), user: null };
  const engine = context.embeddedEngine;
  const input = connectWithSecret(office, office.admin.registerApplication('Backup', ROLES));
  const connect = (more: Partial<typeof input> = {}) =>
    engine.organizations.connect(scope, { ...input, ...more });
  expect(getKind(await connect({ applicationSecret: 'wrong' }))).toBe('refused');
  expect(getKind(await connect({ directoryId: randomUUID() }))).toBe('refused');
  expect(getValue(await connect())).toMatchObject({
    directoryId: office.id,
    displayName: office.name,
  });
  const users = getValue(
    await engine.organizations.listObjects(scope, {
      kind: 'user',
      text: null,
      parent: null,
      cursor: null,
      limit: 3,
    }),
  );
  expect(users).toMatchObject({
    count: office.admin.listUsers().length,
    next: expect.any(String) as string,
  });
  const { repository, job } = await createBackup(context, scope, {
    type: 'Periodically',
    periodicallyEvery: 'Minutes15',
  });
  const runner = makeJobRunner(context, {
    'backup-schedule': allJobs(context)['backup-schedule'],
    'backup-session': allJobs(context)['backup-session'],
  });
  const sessions = async () =>
    getValue(await engine.jobs.listSessions(scope, { job, cursor: null, limit: 10 })).rows;
  await runner.tick();
  expect(await sessions()).toEqual([]);
  for (const expected of [1, 2]) {
    fixture.pass(15 * 60_000);
    await runner.tick();
    await runner.tick();
    const rows = await sessions();
    expect(rows).toHaveLength(expected);
    expect(rows[0]).toMatchObject({ state: 'done', reason: 'schedule', message: null });
  }
  const [, first] = await sessions();
  expect(
    first?.objects.filter(({ kind, items }) => kind === 'mailbox' && items > 0).length,
  ).toBeGreaterThan(1);
  expect(
    first?.objects.filter(({ kind, items }) => kind === 'drive' && items > 0).length,
  ).toBeGreaterThan(0);
  expect(first?.progress.bytes.done).toBeGreaterThan(10_000);
  const log = getValue(
    await engine.jobs.listLog(scope, { session: first?.id ?? '', cursor: null, limit: 100 }),
  );
  expect(log.rows[0]).toMatchObject({ n: 1, message: 'The session started.' });
  expect(getValue(await engine.repositories.usage(scope, { repository }))).toMatchObject({
    points: 2,
  });

  expect(getKind(await engine.jobs.stop(scope, { job }))).toBe('conflict');
  const other: EngineScope = { ...scope, organization: randomUUID() };
  expect(getKind(await engine.jobs.start(other, { job, reason: 'manual' }))).toBe('missing');
  expect(
    getValue(await engine.jobs.listSessions(other, { job, cursor: null, limit: 10 })).rows,
  ).toEqual([]);
  getValue(await engine.organizations.disconnect(scope));
  expect(getKind(await engine.organizations.test(scope, { services: ['exchange'] }))).toBe(
    'refused',
  );
  office.close();
});
