import { randomUUID } from 'node:crypto';
import type {
  EngineScope,
  ItemResult,
  Node,
  RestoreInput,
  EngineTask,
} from '#contract/engine/engine.ts';
import type { TaskId } from '#contract/ids.ts';
import type { TeamAdmin } from '#server/demo/tenant/team-admin.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { readPostProps } from '#server/demo/tenant/team-store.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import type { Store } from '#server/platform/db/store.ts';
import { aTenant } from '../../db/drafts.ts';
import { makeFixture } from '../../http/fixtures.ts';
import { connectWithSecret, createBackup } from '../organization.ts';
import { getValue, makeFolder } from '../restic/fixtures.ts';
import { NO_FLAGS } from './no-flags.ts';

export const ROLES = [
  'User.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
  'Sites.Read.All',
  'Channel.Create',
  'Channel.Delete.All',
  'ChannelMember.ReadWrite.All',
  'ChannelMessage.Read.All',
  'Teamwork.Migrate.All',
  'TeamsTab.ReadWrite.All',
  'TeamMember.ReadWrite.All',
  'TeamSettings.ReadWrite.All',
  'Files.ReadWrite.All',
];
const FLAGS: RestoreInput['flags'] = { ...NO_FLAGS, team: { members: true, settings: true } };

/** A team of a tenant that is backed up, and a server that restores it. */
export async function aTeam(
  store: Store,
  roles: readonly string[] = ROLES,
  prepare: (teams: TeamAdmin, team: string) => void = () => undefined,
  /** The longest wait that takes none of the test: requests are repeated after some. */
  shortWaitMs?: number,
) {
  const fixture = await makeFixture({ repositoriesDir: makeFolder() }, store, {
    skipsShortWaits: true,
    ...(shortWaitMs !== undefined && { shortWaitMs }),
  });
  const { context } = fixture;
  const tenant = await aTenant(context.store);
  const office = createDemoTenant({
    file: null,
    seed: 5,
    now: () => context.clock.now(),
    size: { people: 8, minMails: 1, maxMails: 1, minFiles: 1, maxFiles: 1, maxFileBytes: 20_000 },
  });
  const cloud = {
    isLossy: false,
    writes: 0,
    /** Runs before each request. */
    onRequest: (_request: Request): void => undefined,
    /** Runs at each write. */
    onWrite: async (): Promise<void> => undefined,
  };
  context.cloud.connectTo(async (request) => {
    cloud.onRequest(request);
    const response = await office.fetch(request);
    const isWrite =
      request.method !== 'GET' && /(messages|replies|tabs|groups|team|members)$/.test(request.url);
    if (isWrite) await cloud.onWrite();
    if (!isWrite || !cloud.isLossy) return response;
    cloud.writes += 1;
    // Done, but nobody hears of it: every other write.
    if (cloud.writes % 2 === 1) throw new TypeError('fetch failed');
    return response;
  });
  const scope: EngineScope = { tenant, organization: randomUUID(), user: randomUUID() };
  const engine = context.embeddedEngine;
  const application = office.admin.registerApplication('Backup', roles);
  getValue(await engine.organizations.connect(scope, connectWithSecret(office, application)));
  const { teams } = office.admin;
  const team = teams.list()[0]?.id ?? '';
  prepare(teams, team);
  const { job } = await createBackup(
    context,
    scope,
    { type: 'Periodically', periodicallyEvery: 'Hours12' },
    {
      services: { isTeamsOnline: true, isTeamsChatsOnline: true },
      settings: {
        backupType: 'SelectedItems',
        selectedItems: [{ type: 'Team', id: team, parts: ['teams', 'teamsChats'] }],
      },
    },
  );
  const jobs = allJobs(context);
  const runner = makeJobRunner(context, {
    'backup-session': jobs['backup-session'],
    'restore-task': jobs['restore-task'],
  });
  const backUp = async (): Promise<void> => {
    const session = getValue(await engine.jobs.start(scope, { job, reason: 'manual' }));
    for (let state = 'queued'; state !== 'done';) {
      await runner.tick();
      const page = await engine.jobs.listSessions(scope, { job, session, cursor: null, limit: 1 });
      state = getValue(page).rows[0]?.state ?? 'done';
      fixture.pass(60_000);
    }
  };
  await backUp();
  const explorer = getValue(
    await engine.openExplorer(scope, {
      workload: 'teams',
      job: null,
      at: context.clock.now(),
      showDeleted: false,
    }),
  ).id;
  const list = async (parent: string | null, only: 'folders' | 'items'): Promise<readonly Node[]> =>
    getValue(
      await engine.listChildren(scope, {
        explorer,
        parent,
        only,
        text: null,
        sort: 'date',
        descending: true,
        cursor: null,
        limit: 1_000,
      }),
    ).rows;
  const end = async (task: string): Promise<EngineTask> => {
    for (let turns = 0; turns < 60; turns++) {
      await runner.tick();
      const now = getValue(await engine.getTask(scope, { task }));
      if (now.state === 'done') return now;
      fixture.pass(60_000);
    }
    throw new Error('The task does not end.');
  };
  const start = async (
    nodes: readonly string[],
    more: Partial<RestoreInput> = {},
  ): Promise<TaskId> =>
    getValue(
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
  const readTask = async (task: string): Promise<EngineTask> =>
    getValue(await engine.getTask(scope, { task }));
  /** What became of the items that failed. */
  const listFailed = async (task: string): Promise<readonly (string | null)[]> => {
    const page = { task, outcome: 'failed', cursor: null, limit: 1_000 } as const;
    return getValue(await engine.listResults(scope, page)).rows.map(({ message }) => message);
  };
  const listResults = async (task: string): Promise<readonly ItemResult[]> =>
    getValue(await engine.listResults(scope, { task, outcome: null, cursor: null, limit: 1_000 }))
      .rows;
  const restore = async (
    nodes: readonly string[],
    more: Partial<RestoreInput> = {},
    /** Before the task begins. */
    prepareTask: (task: TaskId) => Promise<void> = async () => undefined,
  ) => {
    const task = await start(nodes, more);
    await prepareTask(task);
    const done = await end(task);
    return { task, done, results: await listResults(task) };
  };
  /** What became of the files of a channel in the tenant. */
  const listStates = async (channel: string): Promise<readonly string[]> => {
    const parts = await list(channel, 'folders');
    const parent = parts.find((part) => 'holds' in part && part.holds === 'files')?.id ?? '';
    const page = await engine.compareFolder(scope, { explorer, parent, cursor: null, limit: 100 });
    return getValue(page).rows.map(({ state }) => state);
  };
  const listPostStates = async (channel: string): Promise<readonly string[]> => {
    const page = await engine.compareFolder(scope, {
      explorer,
      parent: channel,
      cursor: null,
      limit: 100,
    });
    return getValue(page).rows.map(({ state }) => state);
  };
  const startUndo = async (task: string): Promise<TaskId> =>
    getValue(await engine.undo(scope, { task }));
  const undo = async (task: string) => end(await startUndo(task));
  const [top] = await list(null, 'folders');
  /** Posts of a channel with their replies, as people see them. */
  const getThreads = (channel: string) =>
    teams
      .listPosts(team, channel)
      .map((post) => ({
        isDeleted: post.deleted_at !== null,
        author: readPostProps(post).author?.id,
        text: readPostProps(post).content.replaceAll(/<[^>]*>/g, ''),
        at: Math.floor(post.created_at / 1_000),
        replies: teams
          .listReplies(post)
          .filter((reply) => reply.deleted_at === null)
          .map((reply) => [readPostProps(reply).author?.id, readPostProps(reply).content])
          .toReversed(),
      }))
      .filter(({ isDeleted }) => !isDeleted);
  return {
    fixture,
    tenant,
    office,
    application,
    cloud,
    backUp,
    teams,
    team,
    list,
    start,
    readTask,
    end,
    listFailed,
    listResults,
    restore,
    listStates,
    listPostStates,
    startUndo,
    undo,
    getThreads,
    top: top?.id ?? '',
  };
}
