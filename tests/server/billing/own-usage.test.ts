import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { licenseTicks } from '../jobs/ticks.ts';

const DAY = 86_400_000;
const PATH = 'monitoring/reporting/licensing/own';
const [ONE, TWO] = [randomUUID(), randomUUID()];
let fixture: Fixture;
const now = (): number => fixture.context.clock.now();
const iso = (ms: number): string => new Date(ms).toISOString();
const monthNow = (): string => iso(now()).slice(0, 7);

type Own = OutputOf<'listOwnSubscriptions'>;
const own = async (who: Asker): Promise<Own> => (await who<Own>('GET', PATH)).body.data;
const summarize = ({ holders }: Own): readonly unknown[] =>
  holders.map(({ company, name, lines }) => [
    company,
    name,
    ...lines.map(
      ({ product, unit, used, before, since }) =>
        `${product} ${unit}: ${used}, before ${before}, since ${since}`,
    ),
  ]);
const ran = (office: Office, company: 1 | 2, jobs: readonly string[]): Promise<void> =>
  office.post(
    company,
    jobs.map((job) =>
      failure(job, iso(now() - 60_000), {
        computer: `${job}-pc`,
        status: 'Success',
        message: null,
      }),
    ),
  );

/** As collectors leave it behind: [connection, company, used]. */
async function collect(
  office: Office,
  rows: readonly (readonly [connection: string, company: number | null, used: number])[],
): Promise<void> {
  await fixture.context.store.tenant(office.tenant, async (tx) => {
    await tx.sql.deleteFrom('collected').where('tenant_id', '=', office.tenant).execute();
    for (const [connection, company, used] of rows) {
      const row = {
        product: 'CloudConnect',
        workload: 'VMs',
        unitType: 'Instances',
        usedUnits: null,
        usedCount: used,
        newUnits: null,
        rentalUnits: null,
      };
      await tx.sql
        .insertInto('collected')
        .values({
          tenant_id: office.tenant,
          connection_id: connection,
          entity: 'licences',
          uid: String(company),
          company_n: company,
          name: 'A console',
          row: JSON.stringify(row),
          seen_at: now(),
        })
        .execute();
    }
  });
}

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('LIC-5, T2: every user sees what their companies use next to the previous month, since which month, and nothing of others', async () => {
    const office = await anOffice(fixture);
    const keeper = licenseTicks(fixture.context);
    const first = monthNow();
    await ran(office, 1, ['Files']);
    await ran(office, 2, ['Other']);
    await collect(office, [
      [ONE, 1, 5],
      [TWO, 1, 1],
      [ONE, 2, 70],
      [ONE, null, 900],
    ]);
    await keeper.tick(now());
    fixture.pass(32 * DAY);
    const second = monthNow();
    await ran(office, 1, ['Files', 'Mail']);
    await collect(office, [[ONE, 1, 8]]);
    await keeper.tick(now());
    const cust = await office.as('cust', ['read-only'], [1]);
    const both = await office.as('both', ['sub-sp'], [2, 1]);
    const none = await office.as('none', ['operator'], []);
    const staff = await office.as('staff', ['operator']);
    const calloway = [
      1,
      'Calloway Freight',
      `CloudConnect Instances: 8, before 6, since ${first}`,
      `Daybook Computers: 2, before 1, since ${first}`,
      `Daybook Jobs: 2, before 1, since ${first}`,
    ];
    const drummond = [
      2,
      'Drummond & Pike',
      `CloudConnect Instances: 0, before 70, since ${first}`,
      `Daybook Computers: 0, before 1, since ${first}`,
      `Daybook Jobs: 0, before 1, since ${first}`,
    ];
    const mine = await own(cust);
    expect([mine.month, mine.before]).toEqual([second, first]);
    expect(summarize(mine)).toEqual([calloway]);
    expect(summarize(await own(both))).toEqual([calloway, drummond]);
    expect(summarize(await own(none))).toEqual([]);
    // Who sees every company is told of the provider as a whole, with what belongs to no company,
    // and not company by company.
    expect(summarize(await own(staff))).toEqual([
      [
        null,
        expect.any(String),
        `CloudConnect Instances: 8, before 976, since ${first}`,
        `Daybook Computers: 2, before 2, since ${first}`,
        `Daybook Jobs: 2, before 2, since ${first}`,
      ],
    ]);
    // It says nothing of the connections.
    expect(JSON.stringify(mine)).not.toContain('connection');
    const other = await anOffice(fixture);
    expect(summarize(await own(await other.as('cust', ['read-only'], [1])))).toEqual([
      [1, 'Calloway Freight'],
    ]);
    expect((await (await office.as('plain', [], [1]))('GET', `${PATH}?company=2`)).status).toBe(
      400,
    );
    await keeper.stop();
  });

  test("LIC-5: usage in the oldest month has no start, and new usage starts this month; a deleted company isn't shown", async () => {
    const office = await anOffice(fixture);
    const keeper = licenseTicks(fixture.context);
    const begun = now();
    await ran(office, 1, ['Files']);
    await collect(office, [[ONE, 1, 5]]);
    await keeper.tick(now());
    const oldest = new Date(begun);
    oldest.setUTCMonth(oldest.getUTCMonth() + 11, 15);
    fixture.pass(oldest.getTime() - begun);
    await collect(office, [
      [ONE, 1, 5],
      [ONE, 2, 1],
    ]);
    await ran(office, 1, ['Files']);
    await ran(office, 2, ['Other']);
    const both = await office.as('both', ['operator'], [1, 2]);
    expect(summarize(await own(both))).toEqual([
      [
        1,
        'Calloway Freight',
        'CloudConnect Instances: 5, before 0, since null',
        'Daybook Computers: 1, before 0, since null',
        'Daybook Jobs: 1, before 0, since null',
      ],
      [
        2,
        'Drummond & Pike',
        `CloudConnect Instances: 1, before 0, since ${monthNow()}`,
        `Daybook Computers: 1, before 0, since ${monthNow()}`,
        `Daybook Jobs: 1, before 0, since ${monthNow()}`,
      ],
    ]);
    const ann = await office.as('ann', ['admin']);
    const {
      body: {
        data: { rows },
      },
    } = await ann<{ rows: { _id: string; name: string }[] }>(
      'GET',
      'monitoring/reporting/companies',
    );
    for (const { _id: id, name } of rows)
      if (name === 'Calloway Freight')
        expect((await ann('DELETE', `companies/${id}`)).status).toBe(200);
    expect(summarize(await own(both)).map((one) => (one as unknown[])[1])).toEqual([
      'Drummond & Pike',
    ]);
    await keeper.stop();
  });
});
