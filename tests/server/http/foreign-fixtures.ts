import { sql, type Transaction } from 'kysely';
import { DEFAULT_BILLING } from '#contract/billing/service-levels.ts';
import { type CallName, getCall, type OutputOf } from '#contract/calls.ts';
import { ANYTHING, NOTHING_DONE } from '#contract/rules/rules.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import type { Database } from '#server/platform/db/database.ts';
import { UNOWNED } from '#server/platform/db/migrations/migration.ts';
import { makeAll, storeDirectoryItems } from '../backup/fixtures.ts';
import { failure } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { ask } from './fixtures.ts';
import type { Fixture } from './fixtures.ts';

/** The second company of an office and all that it has, of which the first may learn nothing. */

const T = '2026-03-02T06:00:00Z';
export const LATER = '2026-03-05T06:00:00Z';
/** What is there of the second company, and of its provider: made by whoever may. */
export interface Theirs {
  readonly tenant: string;
  readonly company: string;
  readonly user: string;
  readonly key: string;
  readonly run: number;
  readonly problem: number;
  readonly job: string;
  readonly computer: string;
  readonly view: string;
  readonly rule: string;
  readonly hint: string;
  readonly alarm: string;
  readonly webhook: string;
  readonly delivery: string;
  readonly connection: string;
  readonly apiKey: string;
  readonly session: string;
  readonly device: string;
  readonly report: string;
  readonly ticket: string;
  readonly notice: string;
  readonly organization: string;
  readonly vault: string;
  readonly proxy: string;
  readonly backupJob: string;
  readonly restoreSession: string;
  readonly download: string;
  readonly imported: string;
  readonly restoreRole: string;
  readonly usage: string;
}

const archive = { name: 'Canary.zip', bytes: 1, mailbox: { name: 'Canary' } };
const server = {
  host: 'imap.example.com',
  port: 993,
  security: 'tls' as const,
  username: 'canary@example.com',
  password: 'Canary',
  certificate: null,
};
const share = {
  url: 'https://files.example.com/canary/',
  username: 'canary',
  password: 'Canary',
  certificate: null,
};
/** Inputs of the calls about imports. */
export function importInputs({
  organization: organizationId,
  vault: repositoryId,
  imported: id,
}: Pick<Theirs, 'organization' | 'vault' | 'imported'>) {
  const { mailbox } = archive;
  return {
    createImport: { organizationId, repositoryId, ...archive },
    createImapImport: { organizationId, repositoryId, mailbox, server },
    testImapServer: { organizationId, server },
    createWebdavImport: { organizationId, repositoryId, mailbox, server: share },
    testWebdavServer: { organizationId, server: share },
    startImportUpload: { organizationId, id },
    stopImport: { organizationId, id },
  };
}

/** Inputs of the calls about repositories of Veeam servers. */
export function serverRepositoryInputs(of: Pick<Theirs, 'organization' | 'vault' | 'proxy'>) {
  return {
    createServerRepository: {
      organizationId: of.organization,
      repository: 'Reach',
      retentionType: 'SnapshotBased',
      retention: { unit: 'years', policy: 'Years3' },
      cleanUp: { type: 'Daily', day: 'Everyday', time: '03:00' },
      proxyId: of.proxy,
      path: 'D:\\Reach',
    },
    addServerRepository: { organizationId: of.organization, key: of.vault },
    updateServerRepository: { id: of.vault, repository: 'Reach' },
  };
}

export const restoreRole = {
  name: 'Reach',
  operators: [{ type: 'User', id: 'user-1' }],
  roleType: 'EntireOrganization',
};

export const rule = (companies: number[]) => ({
  name: 'Reach',
  enabled: true,
  from: null,
  to: null,
  when: { ...ANYTHING, companies },
  does: { ...NOTHING_DONE, exception: true },
});
export const alarm = (companyIds: number[]) => ({
  name: 'Reach',
  enabled: true,
  job: null,
  group: { companyIds, source: [], type: [], entityGroup: [] },
  maxAgeHours: 24,
  minSuccessPct: null,
  windowDays: 7,
  recipients: [],
});
export const setting = (companies: number[]) => ({
  name: 'Reach',
  template: 'calendarReportFull',
  companies,
  period: 'last-7',
  schedule: { every: 'week', weekday: 1, at: '08:00', timeZone: 'Europe/Berlin' },
  recipients: ['reach@example.net'],
  format: 'csv',
  language: 'en-US',
  enabled: true,
});
export const connection = (companyN: number | null) => ({
  name: 'Reach',
  address: 'https://reach.example.net',
  companyN,
  everySec: 900,
  enabled: false,
  certificate: null,
});
export const credentials = { kind: 'password', name: 'reach', secret: 'reach' } as const;
export const hint = {
  name: 'Reach',
  when: { text: 'x', kinds: [], sources: [] },
  summary: 'Reach',
  steps: [],
  links: [],
  inside: false,
};
export const webhook = {
  name: 'Reach',
  url: 'https://reach.example.net/',
  enabled: false,
  categories: ['failed'],
};

export const must = async <T = { readonly _id: string }>(
  who: Asker,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> => {
  const answer = await who<T>(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body.data;
};
const madeId = async (who: Asker, path: string, body: object, method = 'POST'): Promise<string> => {
  const { _id: id } = await must(who, method, path, body);
  return id;
};

/** Makes one of each for the second company, by whoever may. */
export async function theSecondCompany(fixture: Fixture, office: Office): Promise<Theirs> {
  const root = await office.as('root', ['admin', 'super-admin', 'operator']);
  const zoe = await office.as('canaryzoe', ['operator', 'admin'], [2]);
  await office.post(1, [failure('Files', T)]);
  await office.post(2, [
    failure('Canaryjob', T, {
      message: 'The safe of Zoe Smith could not be opened',
      log: 'canary log',
    }),
  ]);
  const { problems, keys } = await must<Bootstrap>(root, 'GET', 'sync/bootstrap');
  const problem = problems.find(({ company }) => company === 2);
  const run = problem?.lastRun ?? 0;
  const user = (await must<Bootstrap>(zoe, 'GET', 'sync/bootstrap')).me.id;
  const company = (await must<{ _id: string; n: number }[]>(root, 'GET', 'companies')).find(
    ({ n }) => n === 2,
  );
  const { _id: companyId } = company ?? { _id: '' };
  await must(root, 'PUT', `companies/${companyId}`, { name: 'Canary & Pike' });
  await must(root, 'POST', `users/${user}/accounts/canary-account`, {});
  const { secret } = await must<{ secret: string }>(root, 'POST', 'monitoring/sources', {
    name: 'Canary key',
    companyN: 2,
    tool: 'api',
  });
  for (const [what, one] of [
    ['computers', { hostName: 'canary-pc' }],
    ['repositories', { name: 'canary store', capacityBytes: 100, freeBytes: 5 }],
  ] as const)
    await ask(office.app, `/api/v1/ingest/${what}`, {
      method: 'POST',
      host: office.host,
      token: secret,
      body: one,
    });
  const [computerRow] = await must<{ _id: string }[]>(
    root,
    'GET',
    'monitoring/reporting/discovery/computers',
  );
  const { _id: computer } = computerRow ?? { _id: '' };
  const hook = await madeId(root, 'monitoring/webhooks', {
    webhook: { ...webhook, name: 'Canary' },
  });
  const keyId = keys.find((one) => one.company === 2)?.id ?? '';
  const view = fixture.context.chance.uuid();
  const device = fixture.context.chance.uuid();
  const delivery = fixture.context.chance.uuid();
  await must(zoe, 'PUT', `monitoring/views/${view}`, {
    name: 'Canary view',
    query: 'a=b',
    shared: false,
  });
  await must(zoe, 'PUT', `monitoring/backoffice/jobExecutions/${run}`, {
    change: { kind: 'note', content: 'canary note' },
  });
  const {
    key: { id: apiKey },
  } = await must<{ key: { id: string } }>(zoe, 'POST', `profile/${user}/api-keys`, {
    name: 'Canary',
    abilities: ['monitoring.daily-checks'],
    until: Date.parse(LATER),
  });
  const restorer = await office.as('suite', ['o365_admin']);
  const suite = await makeAll(restorer, 2, 'Canary');
  const restoreSession = await madeId(restorer, 'o365/restore/restoresessions', {
    organizationId: suite.organization,
    datetime: 1_800_000_000_000,
    sessionType: 'Vex',
  });
  await storeDirectoryItems({ ground: fixture, office }, suite.organization, {
    user: restoreRole.operators.map(({ id }) => id),
  });
  const role = await madeId(restorer, `o365/organizations/${suite.organization}/restore-roles`, {
    ...restoreRole,
    name: 'Canary',
  });
  const imported = await madeId(restorer, `o365/organizations/${suite.organization}/imports`, {
    repositoryId: suite.repository,
    ...archive,
  });
  const download = fixture.context.chance.uuid();
  await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
    sql
      .insertInto('background_download')
      .values({
        tenant_id: tenant,
        id: download,
        organization_id: suite.organization,
        repository_id: suite.repository,
        user_id: user,
        workload: 'outlook',
        format: 'pst',
        name: 'Canary.pst',
        file_name: null,
        message: null,
        items: 1,
        bytes: 1,
        missing: 0,
        created_at: 1,
        ended_at: null,
        expires_at: 2_000_000_000_000,
      })
      .execute(),
  );
  const usage = await startSubscription(root);
  const proxies = await must<{ rows: { id: string }[] }>(restorer, 'GET', 'o365/proxies');
  const [session] = await must<{ id: string }[]>(zoe, 'GET', `profile/${user}/sessions`);
  return {
    tenant: office.tenant,
    company: companyId,
    user,
    key: keyId,
    run,
    problem: problem?.n ?? 0,
    job: 'Canaryjob@Canaryjob-pc',
    computer,
    view,
    rule: await madeId(zoe, 'monitoring/backoffice/rules', {
      rule: { ...rule([2]), name: 'Canary' },
    }),
    hint: await madeId(root, 'monitoring/backoffice/hints', {
      hint: { ...hint, name: 'Canary', inside: true },
    }),
    alarm: await madeId(zoe, 'monitoring/reporting/save-sla-alarm', {
      alarm: { ...alarm([2]), name: 'Canary' },
    }),
    webhook: hook,
    delivery,
    connection: await madeId(zoe, 'monitoring/connections', {
      kind: 'vbr',
      ...connection(2),
      name: 'Canary',
      address: 'https://canary.example',
      credentials,
    }),
    apiKey,
    session: session?.id ?? '',
    device,
    organization: suite.organization,
    vault: suite.repository,
    proxy: proxies.rows[0]?.id ?? '',
    backupJob: suite.job,
    restoreSession,
    imported,
    restoreRole: role,
    download,
    usage,
    report: await madeId(zoe, 'monitoring/reporting/reports/settings', {
      setting: { ...setting([2]), name: 'Canary' },
    }),
    ticket: await madeId(zoe, 'monitoring/backoffice/tickets', {
      problems: [problem?.n ?? 0],
      subject: 'Canary',
    }),
    notice: await madeId(root, 'notifications/publish', {
      app: 'monitoring',
      severity: 'info',
      message: 'Canary',
      userId: user,
    }),
  };
}

/** Returns the id of the month's usage of their company. */
async function startSubscription(root: Asker): Promise<string> {
  await must(root, 'PUT', 'o365/billing/settings', {
    ...DEFAULT_BILLING,
    levels: DEFAULT_BILLING.levels.map((level) => ({ ...level, isOffered: true })),
  });
  await must(root, 'POST', 'o365/subscriptions/start/2', {
    level: 'basic',
    minimumUsers: 1,
    trialEndsAt: null,
  });
  await must(root, 'POST', 'o365/subscriptions/refresh', {});
  const { rows } = await must<OutputOf<'listSubscriptions'>>(root, 'GET', 'o365/subscriptions');
  const { _id: id } = rows.find(({ company }) => company === 2)?.usage ?? {};
  if (id === undefined) throw new Error('no usage');
  return id;
}

/** The calls that change an organization, its legal holds and exclusions. */
export const getOrganizationInputs = (organizationId: string) => ({
  checkOrganization: { organizationId },
  setRestoreApproval: { organizationId, needsApproval: true },
  placeLegalHold: { organizationId, kind: 'user', objectId: 'ann', reason: 'Reach' },
  releaseLegalHold: { organizationId, holdId: organizationId, reason: 'Reach' },
  excludePerson: { organizationId, objectId: 'ann', reason: 'Reach' },
  endExclusion: { organizationId, exclusionId: organizationId, reason: 'Reach' },
});

/** The calls that read nodes of a restore session without restoring them. */
export const getNodeInputs = (restoreSessionId: string) => {
  const input = { restoreSessionId, nodes: ['o1'] };
  return {
    nameRestoreNodes: input,
    getMailDownloadSize: input,
    getDriveDownloadSize: input,
    getSiteDownloadSize: input,
    getTeamDownloadSize: input,
  };
};

/** From now on this database has no policies: what separates providers is in the statements alone. */
export async function dropPolicies({ store }: Fixture['context']): Promise<void> {
  await store.system(async (db) => {
    await sql`reset role`.execute(db);
    const { rows } = await sql<{
      name: string;
    }>`select relname::text as name from pg_class where relrowsecurity`.execute(db);
    for (const { name } of rows)
      await sql`alter table ${sql.table(name)} disable row level security`.execute(db);
  });
}

/** Returns how a call is made. */
export function getAddress(
  name: CallName,
  input: object,
): { readonly method: string; readonly path: string; readonly body: object | undefined } {
  const { method, path } = getCall(name);
  const rest = new Map(Object.entries(input));
  const filled = path.replace(/\{(\w+)\}/g, (_all, param: string) => {
    const value = String(rest.get(param));
    rest.delete(param);
    return encodeURIComponent(value);
  });
  return {
    method,
    path: filled,
    body: method === 'GET' || method === 'DELETE' ? undefined : Object.fromEntries(rest),
  };
}

const loadOwnedTables = async (db: Transaction<Database>): Promise<string[]> =>
  (
    await sql<{
      name: string;
    }>`select table_name::text as name from information_schema.columns where column_name = 'tenant_id' and table_schema = 'public'`.execute(
      db,
    )
  ).rows.map(({ name }) => name);

/** The tables whose rows belong to a provider. */
export async function loadTenantTables({ store }: Fixture['context']): Promise<Set<string>> {
  return new Set((await store.system(loadOwnedTables)).filter((name) => !(name in UNOWNED)));
}

/**
 * All that the database has of their provider, but for the comings and goings of whoever asks:
 * sessions, the record of them, and the own invitation.
 */
export async function loadStored(fixture: Fixture, office: Office): Promise<readonly string[]> {
  return fixture.context.store.tenant(office.tenant, async ({ sql: db, tenant }) => {
    const found: string[] = [];
    for (const name of await loadOwnedTables(db)) {
      if (['session', 'throttle', 'audit', 'attempt', 'one_time'].includes(name)) continue;
      const { rows } = await sql<{
        row: string;
      }>`select row_to_json(t)::text as row from ${sql.table(name)} as t where tenant_id = ${tenant}`.execute(
        db,
      );
      found.push(...rows.map(({ row }) => `${name} ${row}`));
    }
    return found.toSorted();
  });
}

/** An ID of the same form, under which nothing exists. */
export function getMissingId(id: string): string {
  if (/^[\da-f]{8}-/.test(id)) return crypto.randomUUID();
  return /^\d+$/.test(id) ? String(Number(id) + 100_000) : `${id}-missing`;
}

/** IDs like theirs, under which nothing exists anywhere. */
export function getMissing(theirs: Theirs): Theirs {
  const ids: readonly (readonly [string, string | number])[] = Object.entries(theirs);
  const missing = ids.map(([name, id]) => [
    name,
    typeof id === 'number' ? id + 100_000 : getMissingId(id),
  ]);
  return { ...theirs, ...Object.fromEntries(missing) };
}
