import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { createDemoTenant, type DemoTenant } from '#server/demo/tenant/tenant.ts';
import { subscriptions } from '#server/features/billing/subscriptions/subscriptions-job.ts';
import { usageDays } from '#server/features/billing/suite-usage/usage-days.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { create, SIZE } from '../backup/connected.ts';
import { job, organization, repository } from '../backup/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { makeFixture, type Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import type { Asker } from '../sync/fixtures.ts';
import { customer, quickBooksStandIn } from './fakes/quickbooks.ts';
import { aBureau, type Bureau } from './fixtures.ts';
import { DAY, getRow, HOUR, must, settings } from './subscription-fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-billed-sessions-'));
const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
  rmSync(folder, { recursive: true, force: true });
});

const ZONE = 'Pacific/Auckland';
/** With a shared mailbox, an inactive one, and somebody without a mailbox. */
const SMALL = { ...SIZE, people: 6, groups: 0, minMails: 1, maxMails: 2, maxFiles: 1 };
const ROLES = [
  'Mail.Read',
  'Calendars.Read',
  'Contacts.Read',
  'Tasks.Read.All',
  'Files.Read.All',
  'User.Read.All',
  'Sites.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
];
const APRIL = Array.from({ length: 30 }, (_, n) => `2026-04-${String(n + 1).padStart(2, '0')}`);
/** In cents, and the last day of the trial. */
const PRICE = 250;
const MINIMUM = 2;
const LAST_TRIAL_DAY = '2026-04-03';

/** The local day of a moment, as the operating system's zone data says. */
const dayIn = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short' });
/** The first moment after a local day, found in steps of a quarter of an hour. */
function findEnd(day: string): number {
  let at = Date.parse(`${day}T00:00:00Z`) - DAY;
  while (dayIn.format(at) <= day) at += HOUR / 4;
  return at;
}

/** What the tenant had when the engine ran: everybody with a mailbox, and who had a license. */
interface Witness {
  readonly at: number;
  readonly people: readonly { readonly id: string; readonly licensed: boolean }[];
}

function look(tenant: DemoTenant, at: number): Witness {
  const people = tenant.admin
    .listUsers()
    .filter(({ mailbox }) => mailbox === 'user' || mailbox === 'shared')
    .map(({ id, licensed }) => ({ id, licensed }));
  return { at, people };
}

/** Who needs a license on a day: each person, session by session. */
const countOn = (witnesses: readonly Witness[], day: string): number => {
  const end = findEnd(day);
  const counted = new Set<string>();
  for (const { at, people } of witnesses)
    if (at < end && at >= end - 31 * DAY)
      for (const { id, licensed } of people) if (licensed) counted.add(id);
  return counted.size;
};

/** Hundredths of users and cents of April, in whole numbers, halves up. */
function billApril(witnesses: readonly Witness[]): { users: number; cents: number } {
  const billed = APRIL.filter((day) => day > LAST_TRIAL_DAY);
  const sum = billed.reduce((all, day) => all + countOn(witnesses, day), 0);
  const users = Math.floor((sum * 200 + 30) / 60);
  const minimum = Math.floor((billed.length * MINIMUM * 200 + 30) / 60);
  return { users, cents: Math.floor((Math.max(users, minimum) * PRICE + 50) / 100) };
}

eachDatabase((kind, open) => {
  test(`BILL-12, BILL-15, BILL-16, SUITE-5: a month of sessions that the engine ran is invoiced as a slow count of the tenant finds, with a shared mailbox, a leaver and a trial (${kind})`, async () => {
    let readClock: (() => number) | null = null;
    const qb = await quickBooksStandIn(() => readClock?.() ?? 0);
    ends.push(() => qb.stop());
    const fixture = await makeFixture(
      { ...HERE, quickBooks: qb.url, repositoriesDir: join(folder, kind) },
      await open(),
      { skipsShortWaits: true },
    );
    const { context } = fixture;
    const now = (): number => context.clock.now();
    readClock = now;
    const tenant = createDemoTenant({ file: null, seed: 5, now, size: SMALL });
    context.cloud.connectTo((request) => tenant.fetch(request));
    const { appId, secret } = tenant.admin.registerApplication('Backup', ROLES);
    const bureau = await aBureau(fixture, qb);
    await setZone(context, bureau);
    const { office, books } = bureau;
    const sign = (): Promise<Asker> =>
      office.as(`u${context.chance.uuid().slice(0, 8)}`, ['super-admin', 'admin', 'o365_admin']);
    books.customers.push(customer(1, 'Calloway Freight'));
    books.items.push({ Id: '7', Name: 'Microsoft 365 backup', Type: 'Service' });
    await bureau.connect();
    await bureau.read();

    const owner = await sign();
    await must(owner, 'PUT', 'o365/billing/settings', settings());
    await must(owner, 'PUT', 'o365/quickbooks/customers', {
      pairs: [{ customer: '1', company: 1 }],
    });
    await must(owner, 'POST', 'o365/subscriptions/start/1', {
      level: 'basic',
      minimumUsers: MINIMUM,
      trialEndsAt: findEnd(LAST_TRIAL_DAY),
    });
    const organizationId = await create(
      owner,
      'o365/organizations',
      organization(1, {
        authType: 'modernLegacy',
        userCode: undefined,
        isSharePointOnline: false,
        exchangeOnlineSettings: {
          applicationId: appId,
          applicationSecret: secret,
          officeOrganizationName: tenant.domain,
        },
      }),
    );
    const repositoryId = await create(owner, 'o365/repositories', repository(organizationId));
    const jobId = await create(owner, 'o365/jobs', job(organizationId, repositoryId));

    const witnesses: Witness[] = [];
    const runner = makeJobRunner(context, {
      'backup-session': allJobs(context)['backup-session'],
    });
    const hourly = [usageDays(context), subscriptions(context)];
    const pass = async (until: string): Promise<void> => {
      fixture.pass(Date.parse(until) - now());
      for (const work of hourly)
        await work({
          tenant: office.tenant,
          payload: null,
          now: now(),
          signal: new AbortController().signal,
        });
    };
    /** `runsAt`: the session is queued before. */
    const backUp = async (runsAt?: string): Promise<void> => {
      const starter = await sign();
      await must(starter, 'POST', `o365/jobs/${jobId}/start`, { organizationId });
      if (runsAt !== undefined) fixture.pass(Date.parse(runsAt) - now());
      const who = await sign();
      witnesses.push(look(tenant, now()));
      await runner.tick();
      const { lastStatus, lastBackup } = await must<{ lastStatus: string; lastBackup: number }>(
        who,
        'GET',
        `o365/jobs/${jobId}`,
      );
      expect([lastStatus, now() - lastBackup < HOUR]).toEqual(['Success', true]);
    };

    await pass('2026-03-20T10:00:00Z');
    await backUp();
    // Somebody leaves, and counts for 31 days after the last restore point: until the middle of April.
    await pass('2026-04-05T02:00:00Z');
    const leaver = tenant.admin.listUsers().find(({ mailbox }) => mailbox === 'user');
    tenant.admin.removeUser(leaver?.id ?? '');
    await backUp();
    await pass('2026-04-12T11:30:00Z');
    tenant.admin.addUser();
    // Queued before midnight, and begun after it: the newcomer counts from the day of the backup on.
    await backUp('2026-04-12T12:30:00Z');
    await pass('2026-05-01T12:00:00Z');

    // The month isn't all the same: a trial, a leaver, a newcomer, and a mailbox that is free.
    const counts = APRIL.map((day) => countOn(witnesses, day));
    expect([counts[0], counts[14], counts[29]]).toEqual([3, 4, 3]);
    expect(witnesses.every(({ people }) => people.some(({ licensed }) => !licensed))).toBe(true);

    const later = await sign();
    const range = [APRIL[0], APRIL.at(-1)].map((day) =>
      encodeURIComponent(JSON.stringify(new Date(findEnd(day ?? '') - HOUR).toISOString())),
    );
    const { days } = await must<OutputOf<'listSuiteLicensing'>>(
      later,
      'GET',
      `o365/licensing?from=${range[0]}&to=${range[1]}&organizationId=${organizationId}`,
    );
    expect(days.map(({ day, used }) => [day, used])).toEqual(
      APRIL.map((day, n) => [day, counts[n]]),
    );

    const expected = billApril(witnesses);
    const { usage } = await getRow(later, 1, '?month=4&year=2026');
    const { _id: usageId = '' } = usage ?? {};
    expect([usage?.users, usage?.totalMills]).toEqual([expected.users, expected.cents * 10]);
    await must(later, 'POST', `o365/subscriptions/billing/${usageId}/ack`, {});
    await must(later, 'POST', `o365/quickbooks/month-invoice/${usageId}`, { userItem: '7' });
    expect(books.invoices.at(-1)).toMatchObject({
      CustomerRef: { value: '1' },
      TotalAmt: expected.cents / 100,
    });
  });
});

const setZone = ({ store }: Fixture['context'], { office }: Bureau): Promise<void> =>
  store.tenant(office.tenant, async ({ sql, tenant }) => {
    const { branding } = await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow();
    await sql
      .updateTable('provider')
      .set({ branding: JSON.stringify({ ...branding, timeZone: ZONE }) })
      .where('tenant_id', '=', tenant)
      .execute();
  });
