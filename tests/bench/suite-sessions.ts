/**
 * How fast mails, files, posts and rows are backed up from the simulated tenant, by a first session
 * and by the next ones, beside restic with the files of the first restore point:
 * `node tests/bench/suite-sessions.ts`. `ITEMS`: of each kind (2,000). Waits between requests about
 * a team are skipped: the note has how many requests there were.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobItem } from '../../contract/backup/jobs.ts';
import type { EngineResult, EngineScope } from '../../contract/engine/engine.ts';
import type { Session } from '../../contract/engine/sessions.ts';
import { createDemoTenant, type DemoTenant } from '../../server/demo/tenant/tenant.ts';
import { allJobs } from '../../server/jobs.ts';
import { makeAppContext } from '../../server/make-app-context.ts';
import type { AppContext, Clock } from '../../server/platform/app-context.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { openStore } from '../../server/platform/db/open.ts';
import { makeTenant } from '../../server/platform/db/tenants.ts';
import { makeJobRunner } from '../../server/platform/jobs/runner.ts';
import { systemChance } from '../../server/platform/random.ts';
import { aBranding, byClock, companyDraft } from '../server/db/drafts.ts';
import type { Figure, Sheet } from './figures.ts';
import { getTable } from './figures.ts';

const ITEMS = Number(process.env['ITEMS'] ?? 2_000);
/** Added before the third session. */
const CHANGES = 100;
const SHORT_WAIT_MS = 1_000;
const ROLES = [
  'User.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
  'TeamMember.Read.All',
  'ChannelMessage.Read.All',
  'Files.Read.All',
  'Sites.Read.All',
  'Mail.Read',
  'Calendars.Read',
  'Contacts.Read',
  'Tasks.Read.All',
  'MailboxItem.Export.All',
];
const RESTIC = { ...process.env, RESTIC_PASSWORD: 'a password of the benchmark' };
const MEGA = 1_000_000;
const log = { info: () => undefined, warn: console.error, error: console.error };

/** Requests about a team are spread over time, of which the benchmark takes none. */
function makeClock(): Clock {
  let skippedMs = 0;
  return {
    now: () => systemClock.now() + skippedMs,
    after(ms, work) {
      if (ms > SHORT_WAIT_MS) return systemClock.after(ms, work);
      const timer = setImmediate(() => {
        skippedMs += ms;
        work();
      });
      return { cancel: () => clearImmediate(timer) };
    },
  };
}

/** An organization whose tenant is simulated. `requests`: how many there were so far. */
interface Place {
  readonly context: AppContext;
  readonly scope: EngineScope;
  readonly office: DemoTenant;
  readonly repository: string;
  readonly requests: () => number;
}

export async function benchSuiteSessions(say: (text: string) => void): Promise<Sheet> {
  const notes = [`load average ${(loadavg()[0] ?? 0).toFixed(1)} at the start`];
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const clock = makeClock();
  const store = await openStore({ dataDir: '', databaseUrl: null, memory: true, log, clock });
  try {
    const config = {
      port: 0,
      dataDir: '',
      databaseUrl: null,
      pageDir: null,
      trustedProxies: [],
      secretKey: Buffer.from(systemChance.bytes(32)).toString('base64url'),
      repositoriesDir: folder,
    };
    const context = makeAppContext({ store, clock, chance: systemChance, log, config });
    const place = await connect(context);
    const workloads = listWorkloads(place.office);
    const measured: Record<string, Measured> = {};
    for (const [name, { item, add }] of Object.entries(workloads)) {
      say(`  ${ITEMS.toLocaleString('en')} ${name} …`);
      for (let n = 0; n < ITEMS; n += 1) add();
      measured[name] = await runSessions(place, item, () => {
        for (let n = 0; n < CHANGES; n += 1) add();
      });
    }
    const makeFigure = (
      what: string,
      unit: string,
      get: (one: Measured) => number | null,
    ): Figure => ({
      what,
      unit,
      values: Object.fromEntries(Object.entries(measured).map(([name, one]) => [name, get(one)])),
    });
    for (const [name, { requests }] of Object.entries(measured))
      notes.push(`${requests} requests for the first session of ${name}`);
    notes.push('Microsoft allows four requests a second about a team');
    if (Object.values(measured).some(({ resticRate }) => resticRate === null))
      notes.push('restic is not installed, left out');
    place.office.close();
    return {
      title: 'Backup sessions',
      columns: Object.keys(workloads),
      figures: [
        makeFigure('first session', 'items/s', ({ firstRate }) => firstRate),
        makeFigure('first session', 'MB/s', ({ firstMegabytes }) => firstMegabytes),
        makeFigure('restic with the same files', 'items/s', ({ resticRate }) => resticRate),
        makeFigure('session without changes', 'ms', ({ unchangedMs }) => unchangedMs),
        makeFigure(`session with ${CHANGES} new`, 'ms', ({ changedMs }) => changedMs),
      ],
      notes,
    };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Measured {
  /** Items and megabytes a second. */
  readonly firstRate: number;
  readonly firstMegabytes: number;
  /** Items a second; null without restic. */
  readonly resticRate: number | null;
  readonly unchangedMs: number;
  readonly changedMs: number;
  readonly requests: number;
}

/** What a job selects, and what adds an item to it, by kind of item. */
function listWorkloads({
  admin,
}: DemoTenant): Record<string, { readonly item: JobItem; readonly add: () => void }> {
  const { teams } = admin;
  const [mailbox = '', drive = ''] = admin.listUsers().map(({ id }) => id);
  const team = teams.list()[0]?.id ?? '';
  const channel = teams.listChannels(team)[0]?.id ?? '';
  const site = admin.addSite('Benchmark').id;
  const list = admin.addList(site, 'Rows').id;
  return {
    mails: {
      item: { type: 'User', id: mailbox, parts: ['mailbox'] },
      add: () => admin.addMessage(mailbox),
    },
    files: {
      item: { type: 'User', id: drive, parts: ['oneDrive'] },
      add: () => admin.addFile(drive),
    },
    posts: {
      item: { type: 'Team', id: team, parts: ['teams', 'teamsChats'] },
      add: () => teams.addPost(team, channel),
    },
    rows: {
      item: { type: 'Site', id: site, parts: ['sites'] },
      add: () => admin.addRow(site, list),
    },
  };
}

async function connect(context: AppContext): Promise<Place> {
  const { store, clock, embeddedEngine: engine } = context;
  const scope = { tenant: randomUUID(), organization: randomUUID(), user: randomUUID() };
  const { tenant, organization } = scope;
  await makeTenant(store, { tenant, host: null, branding: aBranding, isDefault: false });
  const office = createDemoTenant({
    file: null,
    seed: 5,
    now: () => clock.now(),
    size: { people: 3, minMails: 1, maxMails: 1, minFiles: 1, maxFiles: 1, maxFileBytes: 1_000 },
  });
  let requests = 0;
  context.cloud.connectTo((request) => {
    requests += 1;
    return office.fetch(request);
  });
  const { appId, secret } = office.admin.registerApplication('Backup', ROLES);
  getValue(
    await engine.organizations.connect(scope, {
      region: 'Worldwide',
      auth: 'modernLegacy',
      services: ['exchange', 'sharepoint', 'teams', 'teamsChats'],
      code: null,
      officeOrganizationName: office.domain,
      newApplicationName: null,
      applicationId: appId,
      applicationSecret: secret,
      setup: 'all',
      directoryId: null,
    }),
  );
  const repository = randomUUID();
  getValue(
    await engine.repositories.create(scope, {
      repository,
      password: RESTIC.RESTIC_PASSWORD,
      passwordHint: null,
      storage: null,
    }),
  );
  await store.tenant(tenant, async (tx) => {
    await tx.append([companyDraft(1)], byClock);
    await tx.append(
      [
        {
          company: 1,
          entity: `organization:${organization}`,
          event: {
            type: 'organization.created@1',
            data: {
              id: organization,
              company: 1,
              engine: 'embedded',
              type: 'Office365',
              name: office.name,
              officeName: office.domain,
              directoryId: office.id,
              region: 'Worldwide',
              authType: 'modernLegacy',
              isExchangeOnline: true,
              isSharePointOnline: true,
              isTeamsOnline: true,
              isTeamsChatsOnline: true,
              applicationId: appId,
              certificate: null,
              sharePointSaveAllWebParts: false,
            },
          },
        },
      ],
      byClock,
    );
  });
  return { context, scope, office, repository, requests: () => requests };
}

/** Runs three sessions of a job: a first one, one without changes, and one after `change`. */
async function runSessions(
  { context, scope, repository, requests }: Place,
  item: JobItem,
  change: () => void,
): Promise<Measured> {
  const { embeddedEngine: engine, store } = context;
  const job = randomUUID();
  await store.tenant(scope.tenant, (tx) =>
    tx.append(
      [
        {
          company: 1,
          entity: `backupjob:${job}`,
          event: {
            type: 'backupjob.created@1',
            data: {
              id: job,
              company: 1,
              organization: scope.organization,
              repository,
              enabled: true,
              name: 'Benchmark',
              description: '',
              isTeamsChatsEnabled: true,
              backupType: 'SelectedItems',
              selectedItems: [item],
              excludedItems: [],
              proxy: null,
              schedulePolicy: {
                schedule: { type: 'Disabled' },
                backupWindow: null,
                retryNumber: 0,
                retryWaitInterval: 10,
              },
            },
          },
        },
      ],
      byClock,
    ),
  );
  const runner = makeJobRunner(context, { 'backup-session': allJobs(context)['backup-session'] });
  const run = async (): Promise<{ readonly session: Session; readonly ms: number }> => {
    const began = performance.now();
    const id = getValue(await engine.jobs.start(scope, { job, reason: 'manual' }));
    for (;;) {
      await runner.tick();
      const page = { job, session: id, cursor: null, limit: 1 };
      const [session] = getValue(await engine.jobs.listSessions(scope, page)).rows;
      if (session?.state !== 'done') continue;
      if (session.result !== 'success') throw new Error(session.message ?? session.result ?? '');
      return { session, ms: performance.now() - began };
    }
  };
  const before = requests();
  const first = await run();
  const firstRequests = requests() - before;
  const { items, bytes } = first.session.progress;
  const resticMs = timeRestic(join(context.config.repositoriesDir ?? '', repository));
  const unchanged = await run();
  change();
  const changed = await run();
  return {
    firstRate: (items.done / first.ms) * 1_000,
    firstMegabytes: (bytes.done / MEGA / first.ms) * 1_000,
    resticRate: resticMs === null ? null : (items.done / resticMs) * 1_000,
    unchangedMs: unchanged.ms,
    changedMs: changed.ms,
    requests: firstRequests,
  };
}

/**
 * Restores the last restore point with restic, and returns the milliseconds in which restic backs
 * its files up into a repository of its own; null without restic.
 */
function timeRestic(repository: string): number | null {
  if (spawnSync('restic', ['version']).error !== undefined) return null;
  const place = mkdtempSync(join(tmpdir(), 'daybook-bench-restic-'));
  const [files, own] = [join(place, 'files'), join(place, 'repository')];
  try {
    restic('-r', repository, 'restore', 'latest', '--target', files);
    restic('-r', own, 'init');
    const began = performance.now();
    restic('-r', own, 'backup', files);
    return performance.now() - began;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function restic(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('restic', ['--no-cache', '--quiet', ...args], {
    env: RESTIC,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`restic ${args.join(' ')} failed: ${stderr}`);
}

function getValue<T>(result: EngineResult<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

if (import.meta.main) console.log(getTable(await benchSuiteSessions(console.log)));
