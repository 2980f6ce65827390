import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { FileVersions, JobItem } from '#contract/backup/jobs.ts';
import type { EngineScope, Node, RestoreInput, EngineTask } from '#contract/engine/engine.ts';
import type { NodeId } from '#contract/ids.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import type { Store } from '#server/platform/db/store.ts';
import { aTenant, byClock } from '../db/drafts.ts';
import { makeFixture } from '../http/fixtures.ts';
import { connectWithSecret, createBackup } from './organization.ts';
import { getValue, makeFolder, PASSWORD } from './restic/fixtures.ts';
import { ROLES } from './restore/team-bench.ts';
import { JOB } from './session-bench.ts';
import { NO_FLAGS } from './restore/no-flags.ts';

const ABOVE_FILES: ReadonlySet<string> = new Set(['dir', 'site', 'library', 'channel']);
/** Waits after failed requests take none of the test. */
const BACKOFF_MS = 40_000;
const SCHEDULE = { type: 'Periodically', periodicallyEvery: 'Hours12' } as const;

/** Where the files are: in a person's drive, in the first library of a site, or in a team. */
export type FilePlace = 'drive' | 'site' | 'team';
const WORKLOADS = { drive: 'onedrive', site: 'sharepoint', team: 'teams' } as const;

/** A tenant that has files, and a server that backs them up with earlier versions. */
export async function anOfficeWithHistory(
  store: Store,
  fileVersions: FileVersions,
  place: FilePlace = 'drive',
) {
  const repositoriesDir = makeFolder();
  const fixture = await makeFixture({ repositoriesDir }, store, {
    skipsShortWaits: true,
    shortWaitMs: BACKOFF_MS,
  });
  const { context } = fixture;
  const office = createDemoTenant({
    file: null,
    seed: 5,
    now: () => context.clock.now(),
    size: {
      people: place === 'drive' ? 2 : 8,
      minMails: 1,
      maxMails: 1,
      minFiles: 3,
      maxFiles: 3,
      maxFileBytes: 2_000,
    },
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
  const application = office.admin.registerApplication('Backup', [...ROLES, 'Sites.Manage.All']);
  getValue(await engine.organizations.connect(scope, connectWithSecret(office, application)));
  const [person] = office.admin.listUsers().filter(({ mailbox }) => mailbox === 'user');
  if (person === undefined) throw new Error('Nobody has files.');
  const { admin } = office;
  const site = admin
    .listSites()
    .find(({ id }) =>
      admin.listLibraries(id).some((one) => admin.listLibraryFiles(one.id).length > 1),
    );
  const [team] = admin.teams.list();
  const library = admin.listLibraries(site?.id ?? '')[0]?.id ?? '';
  const channel = admin.teams
    .listChannels(team?.id ?? '')
    .find(({ id }) => admin.teams.listFiles(team?.id ?? '', id).length > 1);
  const selected: JobItem = {
    drive: { type: 'User' as const, id: person.id, parts: ['oneDrive' as const] },
    site: { type: 'Site' as const, id: site?.id ?? '', parts: ['sites' as const] },
    team: { type: 'Team' as const, id: team?.id ?? '', parts: ['teams' as const] },
  }[place];
  const settings = { backupType: 'SelectedItems' as const, selectedItems: [selected] };
  const listFiles = () =>
    place === 'drive'
      ? admin.listFiles(person.id)
      : place === 'site'
        ? admin.listLibraryFiles(library)
        : admin.teams.listFiles(team?.id ?? '', channel?.id ?? '');
  const { job, repository } = await createBackup(context, scope, SCHEDULE, {
    settings: { ...settings, fileVersions },
    password: PASSWORD,
    ...(place === 'team' && { services: { isTeamsOnline: true } }),
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
        workload: WORKLOADS[place],
        job: null,
        at: context.clock.now(),
        showDeleted: true,
      }),
    ).id;
  /** Finds a file by its name in the newest point. */
  const findFile = async (title: string) => {
    const explorer = await openExplorer();
    const listOnly = async (
      parent: NodeId | null,
      only: 'all' | 'folders',
    ): Promise<readonly Node[]> =>
      getValue(
        await engine.listChildren(scope, {
          explorer,
          parent,
          only,
          text: null,
          sort: 'name',
          descending: false,
          cursor: null,
          limit: 100,
        }),
      ).rows;
    /** Folders of sites and teams are listed on their own. */
    const list = async (parent: NodeId | null): Promise<readonly Node[]> => {
      const rows = await listOnly(parent, 'all');
      if (place === 'drive') return rows;
      const ids = new Set(rows.map(({ id }) => id));
      const folders = await listOnly(parent, 'folders');
      return [...rows, ...folders.filter(({ id }) => !ids.has(id))];
    };
    const [drive] = await list(null);
    const find = async (parent: NodeId | null): Promise<Node | undefined> => {
      for (const node of await list(parent)) {
        // Other channels may have a file of that name.
        if (node.kind === 'channel' && node.name !== channel?.name) continue;
        if (node.kind === 'file' && node.name === title) return node;
        const below = ABOVE_FILES.has(node.kind) ? await find(node.id) : undefined;
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
  const end = async (task: string): Promise<EngineTask> => {
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
        flags: NO_FLAGS,
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
  const undo = async (task: EngineTask['id']) => end(getValue(await engine.undo(scope, { task })));
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
    const drive = listFiles().find(({ id }) => id === item)?.drive_id ?? '';
    admin.changeLibraryFile(drive, item, Buffer.from(text));
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
    end,
    undo,
    listStored,
    save,
    files: listFiles,
    remove: (item: string): void => {
      const drive = listFiles().find(({ id }) => id === item)?.drive_id ?? '';
      admin.deleteLibraryFile(drive, item);
    },
  };
}
