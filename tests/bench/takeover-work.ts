/**
 * Work of every kind that a server can be doing when it is killed: a mail, a webhook, a session of
 * Microsoft 365, a scheduled report and a command. Other systems, which run in this process, let it wait
 * until the caller says so.
 */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import type { TenantId } from '../../contract/ids.ts';
import { defaultBranding } from '../../server/features/branding/default-branding.ts';
import { makeCompany, makeUser } from '../../server/features/users/create-user.ts';
import { makeAppContext } from '../../server/make-app-context.ts';
import { checkMasterKey } from '../../server/platform/crypto/check-master-key.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { openStore } from '../../server/platform/db/open.ts';
import { makeTenant } from '../../server/platform/db/tenants.ts';
import { scheduleRecurring } from '../../server/platform/jobs/schedule.ts';
import { post } from '../../server/platform/mail/queue-mail.ts';
import { systemChance } from '../../server/platform/random.ts';
import { HERE, listen } from '../server/outbound/listen.ts';
import { ask, PASSWORD } from './processes.ts';
import {
  beginGraph,
  beginMail,
  beginSilentServer,
  type Kind,
  makeGate,
} from './takeover-outside.ts';

export interface TakeoverSite {
  /** What a server on this database needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Begins work of every kind, on the only server, and resolves when it waits for other systems. */
  begin(origin: string): Promise<void>;
  /** Resolves when another server than before does the work. `origin`: of the server that lives. */
  waitForTakeover(kind: Kind, origin: string): Promise<void>;
  /** Lets the other systems answer, and resolves when all work is done. */
  finish(): Promise<Done>;
  end(): Promise<void>;
}

/** How often each thing happened since `begin`. */
export interface Done {
  readonly mailsArrived: number;
  readonly mailTries: number;
  /** What the receiver got before it answered. */
  readonly webhookIds: readonly string[];
  readonly deliveries: readonly string[];
  /** Their results, in order. */
  readonly sessions: readonly (string | null)[];
  readonly restorePoints: number;
  readonly mailsInBackup: { readonly all: number; readonly doubled: number };
  readonly reports: readonly string[];
  readonly reportMails: number;
  readonly commandsRunning: number;
}

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
const MAIL = { to: 'jane@example.com', subject: 'Taken over' };
const POLL_MS = 20;
const LONGEST_MS = 240_000;

/** Prepares a provider on an empty, migrated database. `folder`: for repositories. */
export async function makeTakeoverSite(url: string, folder: string): Promise<TakeoverSite> {
  const gate = makeGate();
  const mail = await beginMail(gate);
  const hooks = await listen(async ({ headers }) => {
    await gate.pass('webhook', String(headers['webhook-id']));
    return { status: 204 };
  });
  const graph = await beginGraph(gate);
  const command = await beginSilentServer(gate);
  const store = await openStore({ dataDir: '', databaseUrl: url, log: QUIET, clock: systemClock });
  const context = makeAppContext({
    store,
    clock: systemClock,
    chance: systemChance,
    log: QUIET,
    config: {
      port: 0,
      dataDir: folder,
      databaseUrl: url,
      pageDir: null,
      trustedProxies: [],
      secretKey: HERE.secretKey,
      outbound: HERE.outbound,
      repositoriesDir: folder,
      graph: graph.url,
    },
  });
  await checkMasterKey(context);
  const tenant = randomUUID() as TenantId;
  await makeTenant(store, {
    tenant,
    host: null,
    branding: defaultBranding(tenant, 'Takeover', 'localhost'),
    isDefault: true,
  });
  await makeCompany(context, tenant, 'Calloway Freight');
  await makeUser(context, tenant, {
    username: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    password: PASSWORD,
    roles: ['admin', 'o365_admin'],
    companies: null,
  });
  const settings = {
    mail: {
      host: '127.0.0.1',
      port: mail.port,
      security: 'none',
      username: null,
      from: 'portal@example.com',
      fromName: null,
    },
  };
  await store.tenant(tenant, ({ sql: db }) =>
    sql`update provider set settings = (settings::jsonb || ${JSON.stringify(settings)}::text::jsonb)::json where tenant_id = ${tenant}`.execute(
      db,
    ),
  );

  const agent = new Agent({ keepAlive: false });
  const call = <T>(origin: string, token: string, method: string, path: string, body: object) =>
    ask(new URL(origin), method, path, token, JSON.stringify(body), agent) as Promise<T>;
  const query = async <R>(text: ReturnType<typeof sql<R>>): Promise<readonly R[]> =>
    store.tenant(tenant, async (tx) => (await text.execute(tx.sql)).rows, { readOnly: true });

  let token = '';
  let made: { readonly job: string; readonly secret: string; readonly report: string } | null =
    null;
  let round = 0;
  let message = '';
  let owner: string | null = null;
  let locker: Client | null = null;
  const id = randomUUID;
  let commandId = '';

  async function prepare(origin: string): Promise<NonNullable<typeof made>> {
    const { secret } = await call<{ secret: string }>(origin, token, 'POST', 'monitoring/sources', {
      name: 'Takeover',
      companyN: 1,
      tool: 'restic',
    });
    await call(origin, token, 'POST', 'monitoring/webhooks', {
      webhook: { name: 'Desk', url: `${hooks.url}/hook`, enabled: true, categories: ['failed'] },
    });
    const { id: organizationId } = await call<{ id: string }>(
      origin,
      token,
      'POST',
      'o365/organizations',
      {
        companyId: 1,
        type: 'Office365',
        name: 'Calloway',
        authType: 'modernLegacy',
        region: 'Worldwide',
        isExchangeOnline: true,
        isSharePointOnline: false,
        isTeamsOnline: false,
        isTeamsChatsOnline: false,
        exchangeOnlineSettings: {
          applicationId: graph.appId,
          applicationSecret: graph.secret,
          officeOrganizationName: graph.domain,
        },
      },
    );
    const { id: repositoryId } = await call<{ id: string }>(
      origin,
      token,
      'POST',
      'o365/repositories',
      {
        organizationId,
        repository: 'Vault',
        password: 'correct horse',
        repeatPassword: 'correct horse',
        retentionPolicy: 'Years5',
      },
    );
    const { id: job } = await call<{ id: string }>(origin, token, 'POST', 'o365/jobs', {
      organizationId,
      repositoryId,
      name: 'Mail',
      backupType: 'EntireOrganization',
      schedulePolicy: {
        schedule: { type: 'Daily', dailyType: 'Everyday', dailyTime: '22:00' },
        backupWindow: null,
        retryNumber: 3,
        retryWaitInterval: 10,
      },
    });
    const { _id: report } = await call<{ _id: string }>(
      origin,
      token,
      'POST',
      'monitoring/reporting/reports/settings',
      {
        setting: {
          name: 'Weekly',
          template: 'calendarReportFull',
          companies: [1],
          period: 'last-7',
          schedule: { every: 'week', weekday: 1, at: '08:00', timeZone: 'UTC' },
          recipients: ['ada@example.com'],
          format: 'csv',
          language: 'en-US',
          enabled: true,
        },
      },
    );
    return { job, secret, report };
  }

  /** Sends the command. It is answered when the other system has answered the server. */
  async function sendCommand(origin: string): Promise<number | null> {
    try {
      const { status } = await fetch(new URL('/api/v1/o365/organizations/from-api', origin), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'authorization': `Bearer ${token}`,
          'idempotency-key': commandId,
          'daybook-device': commandId,
          'daybook-order': '1',
        },
        body: JSON.stringify({
          apiUrl: `https://127.0.0.1:${command.port}`,
          username: 'admin',
          password: 'secret',
        }),
      });
      return status;
    } catch {
      return null;
    }
  }

  const findReportOwner = async (): Promise<string | null> =>
    (
      await query(
        sql<{ owner: string | null }>`
          select lease_owner as owner from background_job where tenant_id = ${tenant} and type = 'reports'
            and exists (select from report_sent where tenant_id = ${tenant} and state = 'making')`,
      )
    )[0]?.owner ?? null;

  return {
    env: {
      DAYBOOK_SECRET_KEY: HERE.secretKey,
      DAYBOOK_REPOSITORIES: folder,
      DAYBOOK_GRAPH: graph.url,
      DAYBOOK_OUTBOUND_ALLOW: HERE.outbound.allow.join(','),
      DAYBOOK_OUTBOUND_HTTP: '1',
    },
    async begin(origin) {
      ({ token } = await call<{ token: string }>(origin, '', 'POST', 'auth/login/db', {
        username: 'ada',
        password: PASSWORD,
      }));
      gate.open();
      made ??= await prepare(origin);
      const { job, secret, report } = made;
      gate.close();
      round += 1;
      locker = new Client(url);
      await locker.connect();
      // A report waits where it stores its file.
      await locker.query('begin; lock table kept_file in access exclusive mode');
      message = await store.tenant(tenant, (tx) =>
        post(tx, context, { kind: 'mail', ...MAIL, text: 'Once.' }),
      );
      await call(origin, token, 'POST', `o365/jobs/${job}/start`, {});
      await store.tenant(tenant, async (tx) => {
        await sql`update report_setting set next_at = ${Date.now() - 1_000} where tenant_id = ${tenant} and id = ${report}`.execute(
          tx.sql,
        );
        await scheduleRecurring(tx, 'reports', Date.now());
      });
      commandId = id();
      void sendCommand(origin);
      for (const kind of ['mail', 'backup session', 'command'] as const)
        await waitUntil(`begin of ${kind}`, () => gate.count(kind) > 0);
      await waitUntil(
        'begin of the report',
        async () => (owner = await findReportOwner()) !== null,
      );
      // Last, because a receiver has ten seconds. Facts before the first look are not sent, so it may
      // take more than one.
      for (let n = 1; gate.count('webhook') === 0; n += 1) {
        await call(origin, secret, 'POST', 'ingest/executions', {
          job: `Failing ${round}-${n}`,
          jobInstanceUid: `failing-${round}-${n}`,
          source: 'restic',
          type: 'Backup',
          externalId: `failing-${round}-${n}`,
          status: 'Failed',
          startTime: new Date(Date.now() - 60_000).toISOString(),
          endTime: new Date().toISOString(),
          message: 'Fatal: no repository',
        });
        await waitUntil('begin of the webhook', () => gate.count('webhook') > 0, 20_000).catch(
          () => undefined,
        );
      }
    },
    async waitForTakeover(kind, origin) {
      if (kind === 'report') {
        await waitUntil('takeover of the report', async () => {
          const other = await findReportOwner();
          return other !== null && other !== owner;
        });
        return;
      }
      const before = gate.count(kind);
      if (kind !== 'command')
        return waitUntil(`takeover of ${kind}`, () => gate.count(kind) > before);
      for (const until = Date.now() + LONGEST_MS; Date.now() < until;) {
        const sent = sendCommand(origin);
        await Promise.race([sent, waitUntil('the command', () => gate.count(kind) > before)]);
        if (gate.count(kind) > before) return;
        // What the answer asks for.
        await pause(1_000);
      }
    },
    async finish() {
      const webhooks = gate.names('webhook');
      gate.open();
      await locker?.query('rollback');
      await locker?.end();
      locker = null;
      const load = async (): Promise<Done & { readonly isDone: boolean }> => {
        const [sent] = await query(
          sql<{ tries: number; sent_at: number | null }>`
            select tries, sent_at from outgoing where tenant_id = ${tenant} and id = ${message}`,
        );
        const deliveries = await query(
          sql<{ id: string; state: string }>`
            select id::text as id, state from webhook_delivery where tenant_id = ${tenant}`,
        );
        const reports = await query(
          sql<{ state: string }>`
            select state from report_sent where tenant_id = ${tenant} order by made_at`,
        );
        const [points] = await query(
          sql<{
            n: number;
          }>`select count(*)::int as n from restore_point where tenant_id = ${tenant}`,
        );
        const sessions = await query(
          sql<{ state: string; result: string | null }>`
            select state, result from backup_session where tenant_id = ${tenant} order by started_at`,
        );
        const items = await query(
          sql<{ n: number }>`
            select count(*)::int as n from item
            where tenant_id = ${tenant} and kind = 'mail' and to_point is null group by object_n, key`,
        );
        const [running] = await query(
          sql<{
            n: number;
          }>`select count(*)::int as n from running_command where tenant_id = ${tenant}`,
        );
        const done: Done = {
          mailsArrived: mail.countArrived(MAIL.to),
          mailTries: sent?.tries ?? 0,
          webhookIds: webhooks,
          deliveries: deliveries.map(({ state }) => state),
          sessions: sessions.map(({ result }) => result),
          restorePoints: points?.n ?? 0,
          mailsInBackup: { all: items.length, doubled: items.filter(({ n }) => n !== 1).length },
          reports: reports.map(({ state }) => state),
          reportMails: mail.countArrived('ada@example.com'),
          commandsRunning: running?.n ?? 0,
        };
        const isDone =
          sent?.sent_at != null &&
          sessions.length >= round &&
          sessions.every(({ state }) => state === 'done') &&
          done.reports.every((state) => state === 'sent') &&
          done.deliveries.every((state) => state !== 'waiting') &&
          done.commandsRunning === 0;
        return { ...done, isDone };
      };
      let last = await load();
      for (const until = Date.now() + LONGEST_MS; !last.isDone && Date.now() < until;) {
        await pause(200);
        last = await load();
      }
      const { isDone, ...done } = last;
      if (!isDone) throw new Error(`The work was not done: ${JSON.stringify(done)}`);
      return done;
    },
    async end() {
      gate.open();
      await locker?.end();
      await store.close();
      await hooks.stop();
      await graph.stop();
      await mail.stop();
      command.stop();
      agent.destroy();
    },
  };
}

async function waitUntil(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  longestMs = LONGEST_MS,
): Promise<void> {
  for (const until = Date.now() + longestMs; !(await isTrue()); await pause(POLL_MS))
    if (Date.now() > until) throw new Error(`It did not happen: ${what}`);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** The folder of a server on this machine, below `folder`. */
export const getDataDir = (folder: string, server: number): string =>
  join(folder, `data-${server}`);
