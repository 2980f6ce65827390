/** Where the benches of sessions run: a server, a database, and a tenant in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobItem } from '../../contract/backup/jobs.ts';
import type { EngineResult, EngineScope } from '../../contract/engine/engine.ts';
import type { BackupSession } from '../../contract/engine/sessions.ts';
import { allJobs } from '../../server/jobs.ts';
import { makeAppContext } from '../../server/make-app-context.ts';
import type { AppContext, Clock } from '../../server/platform/app-context.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { openStore } from '../../server/platform/db/open.ts';
import { makeTenant } from '../../server/platform/db/tenants.ts';
import { makeJobRunner } from '../../server/platform/jobs/runner.ts';
import { systemChance } from '../../server/platform/random.ts';
import { aBranding, byClock, companyDraft } from '../server/db/drafts.ts';
import { beginCluster } from './processes.ts';
import type { TenantAnswer, TenantCall } from './suite-tenant.ts';

export type Database = 'pglite' | 'postgres';
/** Of the benchmark's repositories. */
export const REPOSITORY_PASSWORD = 'a password of the benchmark';
const SHORT_WAIT_MS = 1_000;
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

/** An organization whose tenant is simulated. */
export interface Place {
  readonly context: AppContext;
  readonly scope: EngineScope;
  readonly office: Office;
  readonly repository: string;
}

/** The process of the tenant. */
export interface Office {
  call(call?: TenantCall): Promise<TenantAnswer>;
  end(): void;
}

async function beginTenant(people: number, mails: number): Promise<Office> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'suite-tenant.ts'), [
    String(people),
    String(mails),
  ]);
  const answer = async (): Promise<TenantAnswer> => {
    const [message] = (await once(child, 'message')) as [TenantAnswer];
    return message;
  };
  await answer();
  return {
    call(call = {}) {
      const answered = answer();
      child.send(call);
      return answered;
    },
    end: () => {
      child.disconnect();
    },
  };
}

/** Opens a database and connects an organization with a tenant of its own, for as long as `work` runs. */
export async function inPlace<T>(
  database: Database,
  { people, mails }: { readonly people: number; readonly mails: number },
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const clock = makeClock();
  const cluster = database === 'postgres' ? await beginCluster() : null;
  const databaseUrl = cluster?.url ?? null;
  const dataDir = join(folder, 'data');
  const repositoriesDir = join(folder, 'repositories');
  const store = await openStore({ dataDir, databaseUrl, log, clock });
  const office = await beginTenant(people, mails);
  try {
    const { origin } = await office.call();
    const config = {
      port: 0,
      dataDir,
      databaseUrl,
      pageDir: null,
      trustedProxies: [],
      secretKey: Buffer.from(systemChance.bytes(32)).toString('base64url'),
      repositoriesDir,
      graph: origin,
      outbound: { allow: ['127.0.0.0/8'], http: true },
    };
    const context = makeAppContext({ store, clock, chance: systemChance, log, config });
    return await work(await connect(context, office));
  } finally {
    office.end();
    await store.close();
    await cluster?.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function connect(context: AppContext, process: Office): Promise<Place> {
  const { store, embeddedEngine: engine } = context;
  const scope = { tenant: randomUUID(), organization: randomUUID(), user: randomUUID() };
  const { tenant, organization } = scope;
  await makeTenant(store, { tenant, host: null, branding: aBranding, isDefault: false });
  const office = await process.call();
  const { appId, secret } = office;
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
      password: REPOSITORY_PASSWORD,
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
  return { context, scope, office: process, repository };
}

/** Creates a job, and returns what runs a session of it. */
export async function createJob(
  { context, scope, repository }: Place,
  selectedItems: readonly JobItem[],
): Promise<() => Promise<{ readonly session: BackupSession; readonly ms: number }>> {
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
              selectedItems: [...selectedItems],
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
  return async () => {
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
}

export function getValue<T>(result: EngineResult<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
