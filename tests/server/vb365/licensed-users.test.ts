import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { usageDays } from '#server/features/billing/suite-usage/usage-days.ts';
import type { Store } from '#server/platform/db/store.ts';
import { addLicensedUser, addOrganization } from '#tests/fakes/vb365/state.ts';
import { anyDatabase } from '../db/databases.ts';
import { json } from '../outbound/listen.ts';
import type { Asker } from '../sync/fixtures.ts';
import { type Bench, startBench } from './bench.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Of the bench's provider. */
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10);

const get = async <T>(who: Asker, path: string): Promise<T> => {
  const { status, body, text } = await who<T>('GET', `o365/${path}`);
  if (status !== 200) throw new Error(text);
  return body.data;
};

anyDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    let store: Store;
    let bench: Bench;
    beforeAll(async () => {
      store = await open();
    });
    beforeEach(async () => {
      bench = await startBench(version, store, ({ content }, organization, now) => {
        addLicensedUser(content, organization, 'ann@example.com', now - HOUR);
        addLicensedUser(content, organization, 'ben@example.com', now - 20 * DAY);
        addLicensedUser(content, organization, 'cleo@example.com', now - 32 * DAY);
        addLicensedUser(content, organization, 'dora@example.com', null, 'New');
        addLicensedUser(content, organization, 'eve@example.com', now - 2 * HOUR, 'New');
        const other = addOrganization(content, 'Drummond');
        addLicensedUser(content, other, 'zoe@example.com', now - HOUR);
      });
    });
    afterEach(async () => {
      await bench.stop();
      if (bench.problems.length > 0) throw new Error(bench.problems.join('\n'));
    });

    const now = (): number => bench.fixture.context.clock.now();
    /** Time passes in steps, in which the server is read and days that end are stored. */
    async function pass(ms: number, backUp: () => void = () => undefined): Promise<void> {
      for (let left = ms; left > 0; left -= 8 * HOUR) {
        bench.fixture.pass(Math.min(left, 8 * HOUR));
        backUp();
        await bench.jobs.tick();
        await usageDays(bench.fixture.context)({
          tenant: bench.office.tenant,
          payload: null,
          now: now(),
          signal: new AbortController().signal,
        });
      }
      bench.admin = await bench.office.as(`admin-${now()}`, ['o365_admin']);
    }
    const getLicensing = (query = ''): Promise<OutputOf<'listSuiteLicensing'>> =>
      get(bench.admin, `licensing?organizationId=${bench.organizationId}${query}`);
    const getUsers = async (query = '', who = bench.admin): Promise<string[]> =>
      (await get<OutputOf<'listSuiteConsumption'>>(who, `consumption?${query}`)).rows.map(
        ({ name }) => name.split('@')[0] ?? '',
      );

    test('VB365-72, BILL-12: users with a license on the server and a backup of the last 31 days are counted and listed', async () => {
      const mine = `organizationId=${bench.organizationId}`;
      const today = encodeURIComponent(new Date(now()).toISOString());
      const own = { companyId: 1, organizationId: bench.organizationId };
      expect((await getLicensing()).rows).toMatchObject([
        { ...own, used: 3, free: 0, added: 1, bytes: null },
      ]);
      expect(await getUsers(`${mine}&from=${today}&to=${today}`)).toEqual(['ann', 'ben', 'eve']);
      const { rows } = await get<OutputOf<'listSuiteConsumption'>>(
        bench.admin,
        `consumption?${mine}&text=ann`,
      );
      expect(rows).toMatchObject([
        { ...own, name: 'ann@example.com', state: 'licensed', kinds: [], bytes: null },
      ]);
      expect(rows[0]?.lastPointAt).toBe(now() - HOUR);
      const file = await bench.admin('GET', `o365/consumption/export?${mine}`);
      expect(file.text).toContain('ann@example.com');
      expect(file.text).not.toContain('zoe@example.com');
      const licenses = await get<OutputOf<'getLicenses'>>(bench.admin, 'dashboard/licenses');
      expect(JSON.stringify(licenses)).toContain('"used":3');
    });

    test('VB365-72, G72: users of another company and roles without the reports see none of them', async () => {
      const other = await bench.office.as('bound', ['o365_admin'], [2]);
      expect(await getUsers('', other)).toEqual([]);
      expect(
        (await get<OutputOf<'listSuiteLicensing'>>(other, 'licensing')).rows.filter(
          ({ used }) => used > 0,
        ),
      ).toEqual([]);
      const reader = await bench.office.as('reader', ['operator']);
      expect((await reader('GET', 'o365/consumption')).status).toBe(403);
    });

    test('VB365-72: the days that have ended are those of a slow count, also after a license was revoked and a backup made', async () => {
      const { content } = bench.server;
      const organization = content.organizations[0];
      if (organization === undefined) throw new Error('there is no organization');
      const begin = now();
      /** Who is to count at the end of each day. */
      const expected = new Map<string, number>();
      const own = () =>
        content.licensedUsers.filter((one) => one.organizationId === organization.id);
      const note = (): void => {
        const end = Date.parse(`${dayText(now())}T00:00:00Z`) + DAY;
        expected.set(
          dayText(now()),
          own().filter(({ lastBackupAt: at }) => at !== null && at >= end - 31 * DAY).length,
        );
      };
      const [ann] = content.licensedUsers;
      for (let day = 0; day < 14; day += 1) {
        if (day === 3) addLicensedUser(content, organization, 'fay@example.com', now(), 'New');
        if (day === 6)
          content.licensedUsers.splice(
            content.licensedUsers.findIndex(({ name }) => name.startsWith('eve')),
            1,
          );
        await pass(DAY, () => {
          if (ann) ann.lastBackupAt = now();
          note();
        });
      }
      const from = encodeURIComponent(new Date(begin).toISOString());
      const report = await getLicensing(`&from=${from}`);
      const days = report.days.filter(({ day }) => expected.has(day));
      expect(days.length).toBeGreaterThan(13);
      expect(days.map(({ day, used }) => [day, used])).toEqual(
        days.map(({ day }) => [day, expected.get(day)]),
      );
      // Ben's backup is too old by now, and Eve has no license any more.
      expect(new Set(days.map(({ used }) => used)).size).toBeGreaterThan(2);
      expect(report.rows).toMatchObject([{ added: 2 }]);
      const users = await getUsers(`organizationId=${bench.organizationId}&from=${from}`);
      expect(users).toEqual(['ann', 'ben', 'eve', 'fay']);
    });

    test('VB365-72: a server that does not show its licenses is read nevertheless, and nobody is forgotten', async () => {
      bench.server.failure = (_, path) =>
        path === 'licensedusers' ? { ...json({ message: 'No right.' }), status: 403 } : null;
      await pass(DAY);
      expect((await getLicensing()).rows).toMatchObject([{ used: 3 }]);
      const { rows } = await get<OutputOf<'listOrganizations'>>(bench.admin, 'organizations');
      expect(rows[0]?.server).toMatchObject({ problem: null });
      bench.server.failure = () => null;
      await bench.admin('DELETE', `o365/organizations/${bench.organizationId}`);
      const left = await bench.fixture.context.store.tenant(
        bench.office.tenant,
        ({ sql, tenant }) =>
          sql
            .selectFrom('vb365_licensed_user')
            .select('id')
            .where('tenant_id', '=', tenant)
            .where('organization_id', '=', bench.organizationId as never)
            .execute(),
      );
      expect(left).toEqual([]);
    });
  });
});
