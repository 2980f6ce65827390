import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { FileVersions } from '#contract/backup/jobs.ts';
import type { EngineScope, Node, RestoreInput, Task } from '#contract/engine/engine.ts';
import type { NodeId } from '#contract/ids.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import type { Store } from '#server/platform/db/store.ts';
import { aTenant, byClock } from '../db/drafts.ts';
import { makeFixture } from '../http/fixtures.ts';
import { connectWithSecret, createBackup } from './organization.ts';
import { getValue, makeFolder } from './restic/fixtures.ts';
import { ROLES } from './restore/team-bench.ts';
import { JOB } from './session-bench.ts';

const FLAGS = {
  markRestoredAsUnread: false,
  excludeDeletedItems: false,
  excludeDrafts: false,
  excludeInPlaceHoldItems: false,
  excludeLitigationHoldItems: false,
};
const SCHEDULE = { type: 'Periodically', periodicallyEvery: 'Hours12' } as const;

/** A tenant whose person has files, and a server that backs up its drive with earlier versions. */
export async function anOfficeWithHistory(store: Store, fileVersions: FileVersions) {
  const repositoriesDir = makeFolder();
  const fixture = await makeFixture({ repositoriesDir }, store, { skipsShortWaits: true });
  const { context } = fixture;
  const office = createDemoTenant({
    file: null,
    seed: 5,
    now: () => context.clock.now(),
    size: { people: 2, minMails: 1, maxMails: 1, minFiles: 3, maxFiles: 3, maxFileBytes: 2_000 },
  });
  onTestFinished(() => office.close());
  const requests: string[] = [];
  /** Answers requests instead of the tenant. */
  const cloud: { answer: (path: string) => Response | null } = { answer: () => null };
  context.cloud.connectTo(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/$batch')) {
      const batch = (await request.clone().json()) as { requests: { url: string }[] };
      requests.push(...batch.requests.map(({ url }) => url));
    } else requests.push(`${request.method} ${pathname}`);
    return cloud.answer(pathname) ?? office.fetch(request);
  });
  const scope: EngineScope = {
    tenant: await aTenant(context.store),
    organization: randomUUID(),
    user: randomUUID(),
  };
  const engine = context.embeddedEngine;
  const application = office.admin.registerApplication('Backup', ROLES);
  getValue(await engine.organizations.connect(scope, connectWithSecret(office, application)));
  const [person] = office.admin.listUsers().filter(({ mailbox }) => mailbox === 'user');
  if (person === undefined) throw new Error('Nobody has files.');
  const settings = {
    backupType: 'SelectedItems' as const,
    selectedItems: [{ type: 'User' as const, id: person.id, parts: ['oneDrive' as const] }],
  };
  const { job, repository } = await createBackup(context, scope, SCHEDULE, {
    settings: { ...settings, fileVersions },
  });
  const jobs = allJobs(context);
  const runner = makeJobRunner(context, {
    'backup-session': jobs['backup-session'],
    'restore-task': jobs['restore-task'],
  });
  const backUp = async () => {
    const session = getValue(await engine.jobs.start(scope, { job, reason: 'manual' }));
    for (;;) {
      await runner.tick();
      const page = await engine.jobs.listSessions(scope, { job, session, cursor: null, limit: 1 });
      const [row] = getValue(page).rows;
      fixture.pass(60_000);
      if (row?.state === 'done') return row;
    }
  };
  /** Changes the job, as its wizard does. */
  const setVersions = (wanted: FileVersions) =>
    context.store.tenant(scope.tenant, async (tx) => {
      await tx.append(
        [
          {
            company: 1,
            entity: `backupjob:${job}`,
            event: {
              type: 'backupjob.updated@1',
              data: {
                id: job,
                repository,
                ...JOB,
                ...settings,
                fileVersions: wanted,
                schedulePolicy: {
                  schedule: SCHEDULE,
                  backupWindow: null,
                  retryNumber: 0,
                  retryWaitInterval: 10,
                },
              },
            },
          },
        ],
        { ...byClock, at: context.clock.now() },
      );
    });
  const openExplorer = async () =>
    getValue(
      await engine.openExplorer(scope, {
        workload: 'onedrive',
        job: null,
        at: context.clock.now(),
        showDeleted: true,
      }),
    ).id;
  /** Finds a file by its name in the newest point. */
  const findFile = async (title: string) => {
    const explorer = await openExplorer();
    const list = async (parent: NodeId | null): Promise<readonly Node[]> =>
      getValue(
        await engine.listChildren(scope, {
          explorer,
          parent,
          only: 'all',
          text: null,
          sort: 'name',
          descending: false,
          cursor: null,
          limit: 100,
        }),
      ).rows;
    const [drive] = await list(null);
    const find = async (parent: NodeId | null): Promise<Node | undefined> => {
      for (const node of await list(parent)) {
        if (node.kind === 'file' && node.name === title) return node;
        const below = node.kind === 'dir' ? await find(node.id) : undefined;
        if (below !== undefined) return below;
      }
      return undefined;
    };
    const node = await find(drive?.id ?? null);
    if (node === undefined) throw new Error(`no ${title}`);
    const versions = getValue(await engine.listVersions(scope, { explorer, node: node.id }));
    return { explorer, node, drive, versions };
  };
  const readNode = async (explorer: RestoreInput['explorer'], node: NodeId): Promise<string> => {
    const content = getValue(await engine.readContent(scope, { explorer, node, as: 'raw' }));
    const parts: Uint8Array[] = [];
    for await (const part of content.stream) parts.push(part);
    return Buffer.concat(parts).toString();
  };
  const end = async (task: string): Promise<Task> => {
    for (let turns = 0; turns < 60; turns++) {
      await runner.tick();
      const now = getValue(await engine.getTask(scope, { task }));
      if (now.state === 'done') return now;
      fixture.pass(60_000);
    }
    throw new Error('The task does not end.');
  };
  const restore = async (
    explorer: RestoreInput['explorer'],
    nodes: readonly NodeId[],
    more: Partial<RestoreInput> = {},
  ) => {
    const task = getValue(
      await engine.restore(scope, {
        explorer,
        nodes,
        target: { kind: 'original' },
        select: 'both',
        onConflict: 'replace',
        versions: 'last',
        flags: FLAGS,
        dryRun: false,
        reason: null,
        ...more,
      }),
    );
    const done = await end(task);
    const results = getValue(
      await engine.listResults(scope, { task, outcome: null, cursor: null, limit: 100 }),
    ).rows.map(({ outcome, message }) => [outcome, message]);
    return { task, done, results };
  };
  const undo = async (task: Task['id']) => end(getValue(await engine.undo(scope, { task })));
  /** What the tenant itself has of a file, oldest first: number, text, author and date. */
  const listStored = (item: string) =>
    office.admin
      .listVersions(item)
      .map((row) => ({
        id: `${row.version}.0`,
        text: Buffer.from(office.admin.readVersion(row)).toString(),
        at: row.at,
        author: office.admin.listUsers().find(({ id }) => id === row.author)?.name ?? '',
      }))
      .toReversed();
  const save = (item: string, text: string): void => {
    fixture.pass(60_000);
    office.admin.changeFile(person.id, item, Buffer.from(text));
  };
  return {
    fixture,
    context,
    scope,
    engine,
    office,
    person,
    repository,
    repositoriesDir,
    requests,
    cloud,
    backUp,
    setVersions,
    findFile,
    readNode,
    restore,
    undo,
    listStored,
    save,
    files: () => office.admin.listFiles(person.id),
  };
}
