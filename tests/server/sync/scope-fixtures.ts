import { randomUUID } from 'node:crypto';
import type { Logged } from '#contract/events.ts';
import type { Bootstrap, EventsPage } from '#contract/sync/calls.ts';
import { runAt } from '#contract/runs/columns.ts';
import { pagesIn } from '#workers/sync/frames.ts';
import { login } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { failure } from './fixtures.ts';
import type { Asker, Office } from './fixtures.ts';

/** Days of the fixture's clock: a closed one, and the one that is still open. */
export const CLOSED_DAY = '2026-03-01';
export const OPEN_DAY = '2026-03-02';

/** Words that stand in one kind of data each: wherever one turns up, that data was told. */
const MARKERS = {
  company: 'Calloway Freight',
  companySettings: 'VEEAM-MARKER',
  job: 'job-marker',
  run: 'Run marker: disk is full',
  runDetail: 'detail-marker',
  note: 'note-marker',
  comment: 'comment-marker',
  snooze: 'snooze-marker',
  view: 'view-marker',
  shift: 'shift-marker',
  key: 'Key 1',
  person: 'PERSON-MARKER',
  preference: 'preference-marker',
  sourceFailure: 'source-failure-marker',
} as const;
export type Marker = keyof typeof MARKERS;
export const markersIn = (text: string): Marker[] =>
  (Object.keys(MARKERS) as Marker[]).filter((marker) => text.includes(MARKERS[marker]));

let operatorId = '';
export const SEEDED = { person: MARKERS.person, operator: (): string => operatorId };

/** One of everything that sync carries, each with its word. */
export async function seed(office: Office, fixture: Fixture): Promise<void> {
  const admin = await office.as('seed-admin', ['admin']);
  const operator = await office.as(MARKERS.person.toLowerCase(), ['operator']);
  await office.as('named-one', ['read-only'], [1]);
  const now = fixture.context.clock.now();
  await office.post(1, [
    failure(MARKERS.job, `${CLOSED_DAY}T02:00:00Z`, {
      message: MARKERS.run,
      detail: { path: MARKERS.runDetail },
    }),
    failure('second-job', `${OPEN_DAY}T01:00:00Z`),
    failure('third-job', `${OPEN_DAY}T01:10:00Z`),
  ]);
  const start = (await operator<Bootstrap>('GET', 'sync/bootstrap')).body.data;
  operatorId = start.me.id;
  const getRun = (name: string): number => {
    const job = start.jobs.find((one) => one.name === name);
    const problem = start.problems.find((one) => one.job === job?.n);
    if (!problem) throw new Error(`no problem of ${name}`);
    return problem.lastRun;
  };
  const change = (job: string, what: object) =>
    operator('PUT', `monitoring/backoffice/jobExecutions/${getRun(job)}`, { change: what });
  const [{ _id: company = '' } = {}] = (await admin<{ _id?: string }[]>('GET', 'companies')).body
    .data;
  await aFailingConnection(fixture, office.tenant, MARKERS.sourceFailure, null);
  const answers = [
    await change(MARKERS.job, { kind: 'note', content: MARKERS.note }),
    await change('second-job', { kind: 'review', comment: MARKERS.comment }),
    await change('third-job', { kind: 'snooze', until: now + 86_400_000, reason: MARKERS.snooze }),
    await change('third-job', { kind: 'ticket', ticket: 'T-1' }),
    await operator('PUT', 'monitoring/views/00000000-0000-4000-8000-0000000000a1', {
      name: MARKERS.view,
      query: 'states=Failed',
      shared: true,
    }),
    await operator('POST', 'monitoring/hand-overs', {
      id: '00000000-0000-4000-8000-0000000000a2',
      since: now - 3_600_000,
      at: now,
      cleared: 1,
      of: 3,
      snoozed: 1,
      open: [],
      ending: [],
      comment: MARKERS.shift,
      query: '',
    }),
    await operator('PUT', `profile/${operatorId}/preferences/theme`, {
      value: JSON.stringify({ sidebarColor: MARKERS.preference }),
    }),
    await admin('PUT', `companies/${company}`, { veeamId: MARKERS.companySettings }),
  ];
  for (const { status, text } of answers) if (status !== 200) throw new Error(text);
}

/** A connection of which the jobs could not be read; `company` null: of the provider as a whole. */
export async function aFailingConnection(
  fixture: Fixture,
  tenant: string,
  message: string,
  company: number | null,
): Promise<string> {
  const id = randomUUID();
  const now = fixture.context.clock.now();
  await fixture.context.store.tenant(tenant, async ({ sql }) => {
    await sql
      .insertInto('connection')
      .values({
        tenant_id: tenant,
        id,
        kind: 'vbr',
        name: `Server ${id.slice(0, 4)}`,
        address: 'https://vbr.example.net',
        company_n: company,
        sign_in: 'password',
        username: 'reader',
        sealed: '',
        certificate: null,
        every_sec: 300,
        enabled: true,
        made_at: now,
        changed_at: now,
      })
      .execute();
    await sql
      .insertInto('collection')
      .values({
        tenant_id: tenant,
        connection_id: id,
        entity: 'jobs',
        status: 'failed',
        started_at: now,
        succeeded_at: null,
        next_at: now + 86_400_000,
        fails: 1,
        error: message,
        error_at: now,
        cursor: '{}',
      })
      .execute();
  });
  return id;
}

export async function eventsFrom(who: Asker, epoch: string, after = 0): Promise<Logged[]> {
  const all: Logged[] = [];
  for (let cursor = after, more = true; more;) {
    const {
      body: { data },
    } = await who<EventsPage>('GET', `sync/events?protocol=2&after=${cursor}&epoch=${epoch}`);
    if (data.epoch !== epoch) throw new Error('another epoch');
    all.push(...(data.events as Logged[]));
    ({ cursor, more } = data);
  }
  return all;
}

/** A page of a day as a device asks for it. */
export async function loadPage(
  office: Office,
  username: string,
  day: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { token } = (await login(office.app, office.host, username)).body.data;
  return office.app.request(
    `/api/v1/sync/runs/${day}`,
    { headers: { host: office.host, authorization: `Bearer ${token}`, ...headers } },
    { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
  );
}

/** All that sync tells a device, from the first event on, as text. */
export async function onDevice(
  office: Office,
  who: Asker,
  username: string,
): Promise<{ readonly text: string; readonly start: Bootstrap; readonly dayStatus: number }> {
  const start = (await who<Bootstrap>('GET', 'sync/bootstrap')).body.data;
  const page = await loadPage(office, username, CLOSED_DAY);
  const runs =
    page.status !== 200
      ? []
      : pagesIn(await page.arrayBuffer()).flatMap((columns) =>
          Array.from({ length: columns.rows }, (_, row) => runAt(columns, row)),
        );
  const { me: _, branding: __, ...rows } = start;
  const lastSync = await who('GET', 'sync/last-sync');
  return {
    text: JSON.stringify([rows, runs, await eventsFrom(who, start.epoch), lastSync.body.data]),
    start,
    dayStatus: page.status,
  };
}

/**
 * Calls that answer what is synced, or a part of it. The record of all events (`admin/events`) is
 * left out: it is the log itself, for auditors.
 */
export async function throughCalls(who: Asker): Promise<string> {
  const setting = {
    name: 'Preview',
    template: 'detailReport',
    companies: [],
    period: 'last-7',
    language: 'en-US',
  };
  const answers = [
    await who('POST', 'monitoring/reporting/reports/preview', { setting }),
    await who('POST', 'companies/export', {}),
    await who('POST', 'monitoring/reporting/users/export', {}),
    await who('POST', 'monitoring/reporting/export', { source: 'JOBS' }),
    await who('GET', 'monitoring/backoffice/jobExecutions/1'),
  ];
  for (const path of READS) answers.push(await who('GET', path));
  for (const { status, text } of answers)
    if (status !== 200 && status !== 403) throw new Error(text);
  return answers
    .filter(({ status }) => status === 200)
    .map(({ text }) => text)
    .join('\n');
}

const READS = [
  'sync/last-sync',
  'companies',
  'monitoring/reporting/companies',
  'monitoring/reporting/users',
  'monitoring/reporting/users/logs',
  'monitoring/reporting/jobs',
  'monitoring/reporting/jobs-name',
  'monitoring/reporting/jobs/didnt-run',
  'monitoring/reporting/jobs/history-chart',
  'monitoring/reporting/jobs/ranking/failures',
  'monitoring/reporting/jobs/ranking/duration',
  'monitoring/reporting/jobs/ranking/transferred',
  'monitoring/reporting/jobs/overview-stats',
  'monitoring/reporting/jobs/spreadsheet-report',
  'monitoring/reporting/jobs/spreadsheet-report/stats',
  'monitoring/reporting/jobs/analytics',
  'monitoring/reporting/jobs/analytics/charts/failures-warnings',
  'monitoring/reporting/evidence?from=2026-02-25T00:00:00.000Z&to=2026-03-03T00:00:00.000Z',
  'monitoring/reporting/sla-report',
  'monitoring/reporting/get-all-sla-alarm',
  'monitoring/reporting/repositories',
  'monitoring/reporting/discovery/computers/current',
  'monitoring/backoffice/tickets',
  'monitoring/backoffice/rules',
  'monitoring/backoffice/hints',
  'monitoring/backoffice/hints/at-hand',
  'monitoring/sources',
  'monitoring/connections',
  'monitoring/search?text=marker',
  'monitoring/search?text=calloway',
] as const;
