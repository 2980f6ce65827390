import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { EngineScope, EngineTask } from '#contract/engine/engine.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { freshStore, ONE } from '../../db/databases.ts';
import { aTenant } from '../../db/drafts.ts';
import { makeFixture } from '../../http/fixtures.ts';
import { connectWithSecret, createBackup } from '../organization.ts';
import { getValue } from '../restic/fixtures.ts';
import { NO_FLAGS } from './no-flags.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-estimate-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const ROLES = [
  'Mail.ReadWrite',
  'Calendars.ReadWrite',
  'Contacts.ReadWrite',
  'Tasks.ReadWrite.All',
  'Files.ReadWrite.All',
  'User.Read.All',
  'Sites.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
];

const getDuration = ({ startedAt, endedAt }: EngineTask): number =>
  (endedAt ?? 0) - (startedAt ?? 0);

test('RES-83: on a slow tenant, the second restore takes about as long as its estimate, which knows the first one', async () => {
  const fixture = await makeFixture({ repositoriesDir: folder }, await freshStore(ONE));
  const { context } = fixture;
  const { store, clock, embeddedEngine: engine } = context;
  const tenant = await aTenant(store);
  const office = createDemoTenant({
    file: null,
    seed: 11,
    now: () => clock.now(),
    size: { people: 1, minMails: 70, maxMails: 70, minFiles: 1, maxFiles: 1, maxFileBytes: 500 },
  });
  let requestMs = 0;
  context.cloud.connectTo((request) => {
    fixture.pass(requestMs);
    return office.fetch(request);
  });
  const scope: EngineScope = { tenant, organization: randomUUID(), user: randomUUID() };
  getValue(
    await engine.organizations.connect(
      scope,
      connectWithSecret(office, office.admin.registerApplication('Backup', ROLES)),
    ),
  );
  const { job } = await createBackup(context, scope, {
    type: 'Periodically',
    periodicallyEvery: 'Hours12',
  });
  const jobs = allJobs(context);
  const runner = makeJobRunner(context, {
    'backup-session': jobs['backup-session'],
    'restore-task': jobs['restore-task'],
  });
  getValue(await engine.jobs.start(scope, { job, reason: 'manual' }));
  await runner.tick();

  const [person] = office.admin.listUsers();
  if (person === undefined) throw new Error('nobody');
  const lose = (count: number): void => {
    for (const { id } of office.admin.listMessages(person.id).slice(0, count))
      office.admin.purgeMessage(person.id, id);
  };
  const run = async (dryRun: boolean): Promise<EngineTask> => {
    const explorer = getValue(
      await engine.openExplorer(scope, {
        workload: 'outlook',
        job: null,
        at: clock.now(),
        showDeleted: false,
      }),
    );
    const { rows } = getValue(
      await engine.listChildren(scope, {
        explorer: explorer.id,
        parent: null,
        only: 'all',
        text: null,
        sort: 'name',
        descending: false,
        cursor: null,
        limit: 10,
      }),
    );
    const task = getValue(
      await engine.restore(scope, {
        explorer: explorer.id,
        nodes: rows.map(({ id }) => id),
        target: { kind: 'original' },
        select: 'missing',
        onConflict: 'replace',
        versions: 'last',
        flags: NO_FLAGS,
        dryRun,
        reason: null,
      }),
    );
    for (let turns = 0; turns < 50; turns += 1) {
      await runner.tick();
      const now = getValue(await engine.getTask(scope, { task }));
      if (now.state === 'done') return now;
      fixture.pass(1_000);
    }
    throw new Error('The restore does not end.');
  };

  // Nothing was measured yet.
  lose(15);
  const first = await run(true);
  const assumed = getValue(await engine.estimate(scope, { task: first.id }));
  expect(assumed).toMatchObject({ restores: 0, limit: 'speed' });
  expect(assumed.items).toBe(first.counts.restored);
  // Each request takes seconds, ten times as long as is assumed.
  requestMs = 1_000;
  const restored = await run(false);
  expect(restored.counts.restored).toBe(first.counts.restored);
  requestMs = 0;

  lose(30);
  const second = await run(true);
  const estimate = getValue(await engine.estimate(scope, { task: second.id }));
  expect(estimate.restores).toBe(1);
  requestMs = 1_000;
  const actual = getDuration(await run(false));
  expect(actual).toBeGreaterThan(60_000);
  expect(estimate.durationMs).toBeGreaterThan(actual / 2);
  expect(estimate.durationMs).toBeLessThan(actual * 2);
  // Only the dry run of a restore can be estimated.
  expect(await engine.estimate(scope, { task: restored.id })).toMatchObject({
    ok: false,
    error: { kind: 'conflict' },
  });
});
