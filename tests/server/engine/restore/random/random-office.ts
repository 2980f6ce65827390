import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import type {
  EngineScope,
  ItemResult,
  Node,
  RestoreInput,
  EngineTask,
  Workload,
} from '#contract/engine/engine.ts';
import type { ExplorerId, NodeId } from '#contract/ids.ts';
import type { FailureRule } from '#server/demo/tenant/failure-plan.ts';
import { TenantTables as TenantStore } from '#server/demo/tenant/store.ts';
import type { TenantAdmin } from '#server/demo/tenant/admin.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Store } from '#server/platform/db/store.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { aTenant } from '../../../db/drafts.ts';
import { clientToken } from '../../../demo-tenant/fixtures.ts';
import { makeFixture } from '../../../http/fixtures.ts';
import { connectWithSecret, createBackup } from '../../organization.ts';
import { getValue, makeFolder, PASSWORD } from '../../restic/fixtures.ts';

const ROLES = [
  'Mail.ReadWrite',
  'Calendars.ReadWrite',
  'Contacts.ReadWrite',
  'Tasks.ReadWrite.All',
  'MailboxItem.ImportExport.All',
  'MailboxFolder.Read.All',
  'Files.ReadWrite.All',
  'Sites.Read.All',
  'Sites.Manage.All',
  'User.Read.All',
  'Group.Read.All',
  'Group.ReadWrite.All',
  'Organization.Read.All',
  'Channel.Create',
  'Channel.Delete.All',
  'ChannelMember.ReadWrite.All',
  'ChannelMessage.Read.All',
  'Teamwork.Migrate.All',
  'TeamsTab.ReadWrite.All',
  'TeamMember.ReadWrite.All',
  'TeamSettings.ReadWrite.All',
];
/**
 * Longer than waits after failed requests, also until a limit of SharePoint is renewed, and shorter
 * than their time-outs: those waits take none of the test.
 */
const BACKOFF_MS = 40_000;
const MINUTE_MS = 60_000;

export type RandomOffice = Awaited<ReturnType<typeof aRandomOffice>>;

/** A node of a restore session with the names of the nodes above it. */
export interface FoundNode {
  readonly node: Node;
  /** Of its object: a mailbox, drive, site or team. */
  readonly object: Node;
  /** The names from below the object to the node itself. */
  readonly path: readonly string[];
}

/**
 * A small tenant with everything that can be backed up, and a server that backs it up and restores it:
 * a person and a site, two people, or a team.
 */
export async function aRandomOffice(
  store: Store,
  seed: number,
  selected: 'person and site' | 'two people' | 'team' = 'person and site',
) {
  const fixture = await makeFixture({ repositoriesDir: makeFolder() }, store, {
    skipsShortWaits: true,
    shortWaitMs: BACKOFF_MS,
  });
  const { context } = fixture;
  const file = join(makeFolder(), 'tenant.db');
  const office = createDemoTenant({
    file,
    seed,
    now: () => context.clock.now(),
    size: {
      people: 3,
      groups: 2,
      minMails: 4,
      maxMails: 7,
      minFiles: 3,
      maxFiles: 5,
      maxFileBytes: 3_000,
    },
  });
  const tables = new TenantStore(file);
  onTestFinished(() => {
    tables.close();
    office.close();
  });
  context.cloud.connectTo((request) => office.fetch(request));
  const scope: EngineScope = {
    tenant: await aTenant(context.store),
    organization: randomUUID(),
    user: randomUUID(),
  };
  const engine = context.embeddedEngine;
  const application = office.admin.registerApplication('Backup', ROLES);
  getValue(await engine.organizations.connect(scope, connectWithSecret(office, application)));
  const { admin } = office;
  const [user, other] = admin.listUsers();
  const [team] = admin.teams.list();
  const site = admin.listSites().find(({ id }) => admin.listLibraries(id).length > 1);
  if (user === undefined || other === undefined || site === undefined)
    throw new Error('The tenant is too small.');
  trim(admin, [user.id, other.id], site.id);
  const inner = admin.addSite(INNER_SITE, site.id);
  for (const { id: drive } of admin.listLibraries(inner.id))
    for (let n = 0; n < 3; n += 1) admin.addLibraryFile(drive);
  const list = admin.addList(inner.id, 'Inner list');
  for (let n = 0; n < 2; n += 1) admin.addRow(inner.id, list.id);
  const { job } = await createBackup(
    context,
    scope,
    { type: 'Periodically', periodicallyEvery: 'Hours12' },
    {
      password: PASSWORD,
      services: { isTeamsOnline: true, isTeamsChatsOnline: true },
      settings: {
        backupType: 'SelectedItems',
        selectedItems: {
          'person and site': [
            {
              type: 'User' as const,
              id: user.id,
              parts: ['mailbox' as const, 'oneDrive' as const],
            },
            { type: 'Site' as const, id: site.id, parts: ['sites' as const, 'subsites' as const] },
          ],
          'two people': [user, other].map(({ id }) => ({
            type: 'User' as const,
            id,
            parts: ['oneDrive' as const],
          })),
          'team': [
            {
              type: 'Team' as const,
              id: team?.id ?? '',
              parts: ['teams' as const, 'teamsChats' as const],
            },
          ],
        }[selected],
      },
    },
  );
  /** Somebody of the organization who restores the person's data alone, or that of the site alone. */
  const operator: EngineScope = { ...scope, user: randomUUID(), operator: other.id };
  const covers = seed % 2 === 0 ? ('User' as const) : ('Site' as const);
  await addRole(context, scope, other.id, {
    type: covers,
    id: covers === 'User' ? user.id : site.id,
  });
  const jobs = allJobs(context);
  const runner = makeJobRunner(context, {
    'backup-session': jobs['backup-session'],
    'restore-task': jobs['restore-task'],
  });

  // Their own programs, for what people do beside the portal.
  const people = office.admin.registerApplication('People', ROLES);
  let token: { readonly text: string; readonly until: number } | null = null;
  const send = async (method: string, path: string, body?: unknown): Promise<Response> => {
    if (token === null || context.clock.now() > token.until)
      token = {
        text: await clientToken(office, people),
        until: context.clock.now() + 30 * MINUTE_MS,
      };
    const response = await office.fetch(
      new Request(`https://graph.microsoft.com/v1.0${path}`, {
        method,
        headers: { 'authorization': `Bearer ${token.text}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    if (response.status >= 400 && response.status !== 409)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };

  const backUp = async (): Promise<{ readonly at: number; readonly result: string | null }> => {
    const session = getValue(await engine.jobs.start(scope, { job, reason: 'manual' }));
    for (;;) {
      await runner.tick();
      const page = await engine.jobs.listSessions(scope, { job, session, cursor: null, limit: 1 });
      const [row] = getValue(page).rows;
      const at = context.clock.now();
      fixture.pass(MINUTE_MS);
      if (row?.state === 'done') return { at, result: row.result };
    }
  };
  const open = async (workload: Workload, at: number, as = scope): Promise<ExplorerId> =>
    getValue(await engine.openExplorer(as, { workload, job: null, at, showDeleted: false })).id;
  const listOnly = async (
    explorer: ExplorerId,
    parent: NodeId | null,
    only: 'all' | 'folders' | 'items' | 'objects',
    as: EngineScope,
  ): Promise<readonly Node[]> => {
    const rows: Node[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await engine.listChildren(as, {
        explorer,
        parent,
        only,
        text: null,
        sort: 'name',
        descending: false,
        cursor,
        limit: 100,
      });
      const { rows: more, next } = getValue(page);
      rows.push(...more);
      if (next === null) return rows;
      cursor = next;
    }
  };
  /** Everything that a session shows, from the top down. */
  const walk = async (explorer: ExplorerId, as = scope): Promise<readonly FoundNode[]> => {
    const found: FoundNode[] = [];
    const visit = async (object: Node, parent: Node, path: readonly string[]): Promise<void> => {
      const items = await listOnly(explorer, parent.id, 'items', as);
      const hasFolders = !('hasFolders' in parent) || parent.hasFolders;
      const folders = hasFolders ? await listOnly(explorer, parent.id, 'folders', as) : [];
      const isTop = parent === object;
      const objects =
        isTop && object.kind === 'site' ? await listOnly(explorer, parent.id, 'objects', as) : [];
      const apart = new Set(objects.map(({ id }) => id));
      for (const node of items) found.push({ node, object, path: [...path, node.name] });
      for (const node of folders) {
        if (apart.has(node.id)) continue;
        found.push({ node, object, path: [...path, node.name] });
        await visit(object, node, [...path, node.name]);
      }
      for (const site of objects) {
        found.push({ node: site, object: site, path: [] });
        await visit(site, site, []);
      }
    };
    for (const object of await listOnly(explorer, null, 'objects', as)) {
      found.push({ node: object, object, path: [] });
      await visit(object, object, []);
    }
    return found;
  };
  const end = async (task: string, as: EngineScope): Promise<EngineTask> => {
    for (let turns = 0; turns < 300; turns++) {
      await runner.tick();
      const now = getValue(await engine.getTask(as, { task }));
      if (now.state === 'done') return now;
      fixture.pass(MINUTE_MS);
    }
    throw new Error('The task does not end.');
  };
  const listResults = async (task: string, as: EngineScope): Promise<readonly ItemResult[]> =>
    getValue(await engine.listResults(as, { task, outcome: null, cursor: null, limit: 1_000 }))
      .rows;
  const restore = async (input: RestoreInput, as = scope) => {
    const task = getValue(await engine.restore(as, input));
    const done = await end(task, as);
    return { task, done, results: await listResults(task, as) };
  };
  const undo = async (task: string, as = scope) => {
    const id = getValue(await engine.undo(as, { task }));
    return { done: await end(id, as), results: await listResults(id, as) };
  };
  return {
    fixture,
    context,
    scope,
    operator,
    covers,
    engine,
    office,
    admin,
    targets: {
      user: user.id,
      other: other.id,
      site: site.id,
      inner: inner.id,
      team: team?.id ?? '',
    },
    tables,
    seed,
    send,
    backUp,
    open,
    walk,
    restore,
    end: (task: string, as = scope) => end(task, as),
    undo,
    pass: (ms: number): void => fixture.pass(ms),
    setFailures: (rules: readonly FailureRule[]): void => office.admin.setFailurePlan(rules, seed),
  };
}

/** A role that lets somebody restore one object, without asking anybody. */
async function addRole(
  { store }: AppContext,
  { tenant, organization }: EngineScope,
  operator: string,
  object: { readonly type: 'User' | 'Site'; readonly id: string },
): Promise<void> {
  const id = randomUUID();
  const row = {
    id,
    roleType: 'SpecificObjects',
    operators: [{ type: 'User', id: operator }],
    selectedItems: [object],
    excludedItems: [],
    withoutReading: false,
    mayDownload: true,
    needsSecondPerson: false,
    removedAt: null,
  };
  await store.tenant(tenant, ({ sql: db }) =>
    sql`
      insert into restore_role (tenant_id, id, company_n, organization_id, row)
      values (${tenant}, ${id}, 1, ${organization}, ${JSON.stringify(row)}::text::json)`.execute(
      db,
    ),
  );
}

/** The name of a site below the other one. */
export const INNER_SITE = 'Inner site';

/** Few items of each kind are enough, and take less time. */
function trim(admin: TenantAdmin, users: readonly string[], site: string): void {
  for (const user of users)
    for (const kind of ['event', 'contact', 'task'] as const)
      for (const { id } of admin.outlook.list(user, kind).slice(3, -1))
        admin.outlook.remove(user, kind, id);
  for (const list of admin.listLists(site))
    for (const { n } of admin.listRows(site, list.id).slice(5)) admin.deleteRow(site, list.id, n);
}
