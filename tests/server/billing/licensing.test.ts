import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { CompanyUsage, ProviderUsage } from '#contract/billing/licensing-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { getMonthSpan, monthsAt } from '#server/features/billing/months.ts';
import { defaultBranding } from '#server/features/branding/default-branding.ts';
import { makeTenant } from '#server/platform/db/tenants.ts';
import { ask, makeFixture, PASSWORD } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { licenseTicks } from '../jobs/ticks.ts';

const DAY = 86_400_000;
const PATH = 'monitoring/reporting/licensing';
let fixture: Fixture;
const now = (): number => fixture.context.clock.now();
const iso = (ms: number): string => new Date(ms).toISOString();
const monthNow = (): string => iso(now()).slice(0, 7);

interface Companies {
  readonly month: string;
  readonly months: readonly string[];
  readonly companies: readonly CompanyUsage[];
}
const companies = async (who: Asker, query = ''): Promise<Companies> =>
  (await who<Companies>('GET', `${PATH}/companies${query}`)).body.data;
const providers = async (who: Asker, query = ''): Promise<readonly ProviderUsage[]> =>
  (await who<{ providers: ProviderUsage[] }>('GET', `${PATH}${query}`)).body.data.providers;
const summarize = (all: readonly CompanyUsage[]): readonly unknown[] =>
  all.map(({ companyName, lines }) => [
    companyName,
    ...lines.map(({ product, workload, unit, used }) => `${product} ${workload}: ${used} ${unit}`),
  ]);

const results = (
  office: Office,
  company: 1 | 2,
  jobs: readonly (readonly [job: string, computer: string])[],
): Promise<void> =>
  office.post(
    company,
    jobs.map(([job, computer]) =>
      failure(job, iso(now() - 60_000), { computer, status: 'Success', message: null }),
    ),
  );

/** As a collector leaves it behind. */
async function collect(
  office: Office,
  rows: readonly { uid: string; company: number | null; used: number; unitType?: string }[],
): Promise<void> {
  await fixture.context.store.tenant(office.tenant, async (tx) => {
    await tx.sql.deleteFrom('collected').where('tenant_id', '=', office.tenant).execute();
    for (const { uid, company, used, unitType = 'Points' } of rows) {
      const row = {
        product: 'BackupAndReplication',
        workload: 'VMs',
        unitType,
        usedUnits: used,
        newUnits: 1,
        rentalUnits: null,
      };
      await tx.sql
        .insertInto('collected')
        .values({
          tenant_id: office.tenant,
          connection_id: CONNECTION,
          entity: 'licences',
          uid,
          company_n: company,
          name: 'Console',
          row: JSON.stringify(row),
          seen_at: now(),
        })
        .execute();
    }
  });
}
const CONNECTION = '7d7f4c8e-0c55-4b8e-9f0a-2f1a1f7a3c11';

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test("LIC-1, LIC-3: jobs with a result and their computers count once; connections report beside them; the parts add up; only the user's companies count", async () => {
    const office = await anOffice(fixture);
    const ann = await office.as('ann', ['admin']);
    const some = await office.as('some', ['admin'], [2]);
    const dana = await office.as('dana', ['operator']);
    await results(office, 1, [
      ['Files', 'SRV-1'],
      ['Mail', 'srv-1'],
      ['Web', 'SRV-2'],
    ]);
    await results(office, 2, [['Other', 'PC-1']]);
    await collect(office, [
      { uid: 'a', company: 1, used: 12 },
      { uid: 'b', company: 2, used: 3 },
      { uid: 'c', company: null, used: 2 },
      { uid: 'd', company: 2, used: 0 },
    ]);
    const all = await companies(ann);
    expect(summarize(all.companies)).toEqual([
      [
        'Calloway Freight',
        'BackupAndReplication VMs: 12 Points',
        'Daybook Other: 2 Computers',
        'Daybook Other: 3 Jobs',
      ],
      [
        'Drummond & Pike',
        'BackupAndReplication VMs: 3 Points',
        'Daybook Other: 1 Computers',
        'Daybook Other: 1 Jobs',
      ],
      ['', 'BackupAndReplication VMs: 2 Points'],
    ]);
    expect([all.month, all.months.length, all.months[0]]).toEqual([monthNow(), 12, monthNow()]);
    const [own] = await providers(ann);
    expect(own).toMatchObject({ own: true, companies: 2, serviceProvider: { id: office.tenant } });
    expect(
      own?.total.map(({ product, unit, used, fresh, rental, source }) => [
        product,
        unit,
        used,
        fresh,
        rental,
        source,
      ]),
    ).toEqual([
      ['BackupAndReplication', 'Points', 17, 3, null, 'Former connection'],
      ['Daybook', 'Computers', 3, null, null, null],
      ['Daybook', 'Jobs', 4, null, null, null],
    ]);
    expect(summarize((await companies(some)).companies)).toEqual([
      [
        'Drummond & Pike',
        'BackupAndReplication VMs: 3 Points',
        'Daybook Other: 1 Computers',
        'Daybook Other: 1 Jobs',
      ],
    ]);
    expect([
      (await dana('GET', PATH)).status,
      (await dana('POST', `${PATH}/export`, {})).status,
    ]).toEqual([403, 403]);
    const file = await ask(office.app, `/api/v1/${PATH}/export`, {
      method: 'POST',
      host: office.host,
      token: await session(office),
      body: {},
    });
    expect(file.text.split('\r\n').filter((line) => line.includes('Points'))).toEqual(
      ['12', '3', '2'].map((used, i) =>
        [
          monthNow(),
          own?.serviceProvider.name,
          ['Calloway Freight', 'Drummond & Pike', ''][i],
          'BackupAndReplication',
          'VMs',
          'Points',
          used,
          '1',
          '',
          'Former connection',
        ].join(','),
      ),
    );
    expect((await ann('GET', `${PATH}?month=1999-01`)).body.error?.issues).toEqual([
      { path: 'month', message: MESSAGES.monthTooFar },
    ]);
  });

  test('LIC-2: a past month shows what was last reported for it', async () => {
    const office = await anOffice(fixture);
    const keeper = licenseTicks(fixture.context);
    await results(office, 1, [['Files', 'SRV-1']]);
    await collect(office, [{ uid: 'a', company: 1, used: 5 }]);
    await keeper.tick(now());
    await collect(office, [{ uid: 'a', company: 1, used: 7 }]);
    fixture.pass(1);
    await collect(office, [{ uid: 'a', company: 1, used: 8 }]);
    await keeper.tick(now());
    const before = monthNow();
    fixture.pass(32 * DAY);
    await keeper.tick(now()); // what stands there is of the month before
    const ann = await office.as('ann', ['admin']);
    expect(summarize((await companies(ann, `?month=${before}`)).companies)).toEqual([
      [
        'Calloway Freight',
        'BackupAndReplication VMs: 8 Points',
        'Daybook Other: 1 Computers',
        'Daybook Other: 1 Jobs',
      ],
    ]);
    await collect(office, [{ uid: 'a', company: 1, used: 100 }]);
    await keeper.tick(now());
    expect(summarize((await companies(ann, `?month=${before}`)).companies)[0]).toContain(
      'BackupAndReplication VMs: 8 Points',
    );
    expect(summarize((await companies(ann)).companies)).toEqual([
      ['Calloway Freight', 'BackupAndReplication VMs: 100 Points'],
    ]);
    await keeper.stop();
  });

  test('LIC-3: usage of providers below, for users who see the whole own one; nothing of others', async () => {
    const office = await anOffice(fixture);
    const ann = await office.as('ann', ['admin']);
    const some = await office.as('some', ['admin'], [1]);
    const below = randomUUID();
    const host = `h-${below}.example`;
    await makeTenant(fixture.context.store, {
      tenant: below,
      host,
      branding: defaultBranding(below, 'Harbour', host),
      isDefault: false,
    });
    await fixture.context.store.system(async (sql) => {
      await sql
        .updateTable('tenant_list')
        .set({ master_id: office.tenant })
        .where('tenant_id', '=', below)
        .execute();
    });
    expect((await providers(ann)).map(({ serviceProvider: { name }, own }) => [name, own])).toEqual(
      [
        [expect.any(String), true],
        ['Harbour', false],
      ],
    );
    expect((await providers(some)).length).toBe(1);
    expect([
      (await ann('GET', `${PATH}/companies?serviceProviderId=${below}`)).status,
      (await some('GET', `${PATH}/companies?serviceProviderId=${below}`)).status,
    ]).toEqual([200, 404]);
    const other = await anOffice(fixture);
    expect((await ann('GET', `${PATH}/companies?serviceProviderId=${other.tenant}`)).status).toBe(
      404,
    );
  });
});

async function session(office: Office): Promise<string> {
  const { body } = await ask<{ token: string }>(office.app, '/api/v1/auth/login/db', {
    method: 'POST',
    host: office.host,
    body: { username: 'ann', password: PASSWORD },
  });
  return body.data.token;
}

test("LIC-4: months follow the provider's time zone, from operational day to operational day", () => {
  const wall = { timeZone: 'Europe/London', dayBeginsHour: 6 };
  expect(monthsAt(Date.parse('2026-04-01T04:59:00Z'), wall).slice(0, 2)).toEqual([
    '2026-03',
    '2026-02',
  ]);
  expect(monthsAt(Date.parse('2026-04-01T05:00:00Z'), wall)[0]).toBe('2026-04');
  const { from, to } = getMonthSpan('2026-03', wall);
  expect([iso(from), iso(to)]).toEqual(['2026-03-01T06:00:00.000Z', '2026-04-01T05:00:00.000Z']);
});
