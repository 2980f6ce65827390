import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { usageDays } from '#server/features/billing/suite-usage/usage-days.ts';
import { hidePerson } from '#server/engine/embedded/repositories/exclusions.ts';
import { addObject } from '../backup/objects.ts';
import { aSuite, makeAll } from '../backup/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONE = 'Pacific/Auckland';

const get = async <T>(who: Asker, path: string): Promise<T> => {
  const { status, body, text } = await who<T>('GET', `o365/${path}`);
  if (status !== 200) throw new Error(text);
  return body.data;
};

/** The local day of a moment, as the operating system's zone data says. */
const dayIn = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short' });
const getDay = (at: number): string => dayIn.format(at);

/** As the specification sends the ends of a range: a quoted UTC string. */
const quoted = (at: number): string =>
  encodeURIComponent(JSON.stringify(new Date(at).toISOString()));

const names = ({ rows }: OutputOf<'listSuiteConsumption'>) => rows.map(({ name }) => name);

interface Person {
  readonly id: string;
  readonly licensed: boolean | null;
  readonly points: readonly number[];
}

/**
 * Counts as a person would: for each day, everybody who has a restore point at most 31 days before its
 * end. `end` is found minute by minute.
 */
function count(people: readonly Person[], day: string, now: number) {
  let end = Date.parse(`${day}T00:00:00Z`) - DAY;
  while (getDay(end) <= day) end += HOUR / 2;
  end = Math.min(end, now + 1);
  const present = people.filter(({ points }) =>
    points.some((at) => at < end && at >= end - 31 * DAY),
  );
  return {
    used: present.filter(({ licensed }) => licensed !== false).length,
    free: present.filter(({ licensed }) => licensed === false).length,
  };
}

/** Random numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

eachDatabase((kind, open) => {
  test(`BILL-12, ENG-122: the licensed users of each day are those that a slow count finds, stored or not, also of excluded people (${kind})`, async () => {
    const { office, ground: fixture, recording } = await aSuite(await open());
    const { context } = fixture;
    await context.store.tenant(office.tenant, async ({ sql: db, tenant }) => {
      const { branding } = await db
        .selectFrom('provider')
        .select('branding')
        .where('tenant_id', '=', tenant)
        .executeTakeFirstOrThrow();
      await db
        .updateTable('provider')
        .set({ branding: JSON.stringify({ ...branding, timeZone: ZONE }) })
        .where('tenant_id', '=', tenant)
        .execute();
    });
    const maker = await office.as('maker', ['o365_admin']);
    const made = await makeAll(maker, 1, 'Calloway');
    recording.directory = context.chance.uuid();
    const other = await makeAll(maker, 2, 'Drummond');
    const created = context.clock.now();
    fixture.pass(90 * DAY);
    const now = context.clock.now();

    const random = numbers(7);
    const people = Array.from({ length: 30 }, (_, index): Person => ({
      id: `user${index}`,
      licensed: [true, true, null, false][index % 4] ?? null,
      points: Array.from({ length: random(5) }, () => created + random(90 * 24 * 60) * 60_000),
    }));
    await context.store.tenant(office.tenant, async (tx) => {
      let n = 0;
      for (const { id, licensed, points } of people) {
        // Half of the points are of the mailbox, the others of the OneDrive.
        const half = Math.ceil(points.length / 2);
        for (const [kindOfObject, own] of [
          ['mailbox', points.slice(0, half)],
          ['drive', points.slice(half)],
        ] as const)
          await addObject(tx, made, {
            n: (n += 1),
            kind: kindOfObject,
            user: id,
            bytes: 10,
            points: own,
          });
        await tx.sql
          .insertInto('directory_object')
          .values({
            tenant_id: tx.tenant,
            organization_id: made.organization,
            kind: 'user',
            id,
            name: id,
            address: '',
            parent_id: null,
            deleted_at: null,
            licensed,
          })
          .execute();
      }
      await addObject(tx, made, {
        n: (n += 1),
        kind: 'site',
        user: 'hub',
        bytes: 9_999,
        points: [now],
      });
      await addObject(tx, other, {
        n: (n += 1),
        kind: 'mailbox',
        user: 'zoe',
        bytes: 5,
        points: [now - HOUR],
      });
    });

    const admin = await office.as('admin', ['o365_admin']);
    const range = `from=${quoted(created)}&to=${quoted(now)}&organizationId=${made.organization}`;
    const check = (answer: OutputOf<'listSuiteLicensing'>): void => {
      expect(answer.days.map(({ day }) => day)).toEqual([
        ...new Set(
          Array.from({ length: 91 * 24 }, (_, hour) => Math.min(created + hour * HOUR, now)).map(
            getDay,
          ),
        ),
      ]);
      for (const { day, used } of answer.days)
        expect([day, used]).toEqual([day, count(people, day, now).used]);
      const today = count(people, getDay(now), now);
      expect(answer.rows).toEqual([
        {
          organizationId: made.organization,
          organizationName: 'Calloway',
          companyId: 1,
          companyName: 'Calloway Freight',
          ...today,
          peak: Math.max(...answer.days.map(({ day }) => count(people, day, now).used)),
          added: people.filter(({ points }) => points.length > 0).length,
          bytes: answer.rows[0]?.bytes,
        },
      ]);
    };
    check(await get(admin, `licensing?${range}`));

    // Who is excluded from backups has been backed up, and no longer counts when others wouldn't (ENG-122).
    const asBefore = await get<OutputOf<'listSuiteConsumption'>>(
      admin,
      `consumption?${range}&pageSize=100`,
    );
    const excluded = people.filter((_, index) => index % 3 === 0);
    await context.store.tenant(office.tenant, async (tx) => {
      for (const { id } of excluded)
        await hidePerson(tx, { organization: made.organization, id }, now);
    });
    check(await get(admin, `licensing?${range}`));
    const listed = await get<OutputOf<'listSuiteConsumption'>>(
      admin,
      `consumption?${range}&pageSize=100`,
    );
    expect(names(listed)).toEqual(names(asBefore));
    expect(excluded.some(({ points }) => points.length > 0)).toBe(true);
    for (const { id } of excluded)
      expect(listed.rows.find((row) => row.id === id)?.bytes ?? 0).toBe(0);

    // Stored days don't change when restore points expire.
    const before = await get<OutputOf<'listSuiteLicensing'>>(admin, `licensing?${range}`);
    for (let turn = 0; turn < 2; turn += 1)
      await usageDays(context)({
        tenant: office.tenant,
        payload: null,
        now: now - 30 * DAY * (1 - turn),
        signal: new AbortController().signal,
      });
    check(await get(admin, `licensing?${range}`));
    await context.store.tenant(office.tenant, ({ sql: db, tenant }) =>
      db
        .deleteFrom('object_point')
        .where('tenant_id', '=', tenant)
        .where('at', '<', now - 40 * DAY)
        .execute(),
    );
    expect((await get<OutputOf<'listSuiteLicensing'>>(admin, `licensing?${range}`)).days).toEqual(
      before.days,
    );
  });

  test(`BILL-12: licensed users are listed with what is backed up, in pages, and exported (${kind})`, async () => {
    const { office, ground: fixture, recording } = await aSuite(await open());
    const { context } = fixture;
    const maker = await office.as('maker', ['o365_admin']);
    const made = await makeAll(maker, 1, 'Calloway');
    recording.directory = context.chance.uuid();
    const other = await makeAll(maker, 2, 'Drummond');
    fixture.pass(60 * DAY);
    const now = context.clock.now();
    await context.store.tenant(office.tenant, async (tx) => {
      const add = (
        n: number,
        user: string,
        kindOfObject: 'mailbox' | 'drive',
        points: readonly number[],
        bytes = 100,
        of = made,
      ) => addObject(tx, of, { n, kind: kindOfObject, user, bytes, points });
      await add(1, 'ann', 'mailbox', [now - 50 * DAY, now - HOUR], 500);
      await add(2, 'ann', 'drive', [now - 2 * DAY], 300);
      await add(3, 'desk_1', 'mailbox', [now - DAY]);
      await add(4, 'cleo', 'mailbox', [now - 58 * DAY]);
      await add(5, 'dora', 'mailbox', [now - 20 * DAY]);
      await add(6, '=cmd()', 'drive', [now - 3 * DAY], 7, other);
      for (const [id, licensed, deletedAt] of [
        ['ann', true, null],
        ['desk_1', false, null],
        ['dora', true, now - DAY],
      ] as const)
        await tx.sql
          .insertInto('directory_object')
          .values({
            tenant_id: tx.tenant,
            organization_id: made.organization,
            kind: 'user',
            id,
            name: id,
            address: '',
            parent_id: null,
            deleted_at: deletedAt,
            licensed,
          })
          .execute();
    });
    const admin = await office.as('admin', ['o365_admin']);
    const second = await office.as('second', ['o365_admin'], [2]);
    const today = `from=${now}&to=${now}`;
    const list = (who: Asker, query = '') =>
      get<OutputOf<'listSuiteConsumption'>>(who, `consumption?${today}${query}`);

    const all = await list(admin);
    expect(all.rows[0]).toEqual({
      organizationId: made.organization,
      organizationName: 'Calloway',
      companyId: 1,
      companyName: 'Calloway Freight',
      id: 'ann',
      name: 'ann',
      address: 'ann@example.com',
      kinds: ['drive', 'mailbox'],
      state: 'licensed',
      hasLeft: false,
      firstPointAt: now - 50 * DAY,
      lastPointAt: now - HOUR,
      bytes: 800,
    });
    expect(all.rows.map(({ name, state, hasLeft }) => [name, state, hasLeft])).toEqual([
      ['ann', 'licensed', false],
      ['desk_1', 'free', false],
      ['dora', 'licensed', true],
      ['=cmd()', 'licensed', false],
    ]);
    expect([all.count, all.page, all.pageSize]).toEqual([4, 1, 10]);
    // Who counted earlier in a longer range is in its list.
    expect(
      names(await get(admin, `consumption?from=${now - 30 * DAY}&to=${now}&pageSize=2&page=2`)),
    ).toEqual(['desk_1', 'dora']);
    expect(names(await list(admin, '&state=free'))).toEqual(['desk_1']);
    expect(names(await list(admin, '&text=K_'))).toEqual(['desk_1']);
    expect(names(await list(admin, '&text=%25'))).toEqual([]);
    const beyond = await list(admin, '&page=9');
    expect([beyond.rows, beyond.count]).toEqual([[], 4]);
    expect(names(await list(admin, '&companyId=2'))).toEqual(['=cmd()']);

    // Nothing of a company that the user doesn't see.
    expect(names(await list(second))).toEqual(['=cmd()']);
    expect((await list(second, `&organizationId=${made.organization}`)).count).toBe(0);
    const licenses = await get<OutputOf<'listSuiteLicensing'>>(second, `licensing?${today}`);
    expect(licenses.rows.map(({ organizationId }) => organizationId)).toEqual([other.organization]);
    expect(licenses.days.map(({ used }) => used)).toEqual([1]);

    // The files have the same rows, and no formula.
    const file = await admin('GET', `o365/consumption/export?${today}`);
    expect(file.status).toBe(200);
    const lines = file.text.trim().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines[1]).toContain('Calloway Freight,Calloway,ann,ann@example.com,"OneDrive, Mailbox"');
    expect(lines[4]).not.toMatch(/(^|,)=/);
    const totals = await admin('GET', `o365/licensing/export?${today}`);
    for (const [{ headers }, name] of [
      [totals, 'O365Licensing-'],
      [file, 'O365Consumption-'],
    ] as const)
      expect(headers.get('content-disposition')).toMatch(
        new RegExp(`filename="${name}[^"]+\\.csv"`),
      );
    expect(totals.text.trim().split('\r\n')[1]).toMatch(
      /^Calloway Freight,Calloway,[\d-]{10},[\d-]{10},2,2,0,1,/,
    );

    for (const bad of [
      `from=${now}&to=${now - 2 * DAY}`,
      `from=${now + 3 * DAY}&to=${now + 9 * DAY}`,
      `from=0&to=${now}`,
      'from=yesterday',
    ])
      for (const path of ['licensing', 'consumption', 'licensing/export', 'consumption/export'])
        expect([path, bad, (await admin('GET', `o365/${path}?${bad}`)).status]).toEqual([
          path,
          bad,
          400,
        ]);
    const operator = await office.as('operator', ['operator']);
    const biller = await office.as('biller', ['super-admin']);
    for (const path of ['licensing', 'consumption'])
      for (const [who, read, exported] of [
        [operator, 403, 403],
        [biller, 403, 200],
      ] as const) {
        expect((await who('GET', `o365/${path}?${today}`)).status).toBe(read);
        expect((await who('GET', `o365/${path}/export?${today}`)).status).toBe(exported);
      }
  });
});
