import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { AppContext } from '#server/platform/app-context.ts';
import { leaseDueJobs } from '#server/platform/jobs/leases.ts';
import { eachDatabase } from '../db/databases.ts';
import { withoutJobs } from './fixtures.ts';

const NOW = Date.parse('2026-03-02T07:30:00Z');
const TYPE = 'repository-clean-up';

interface Member {
  readonly tenant: string;
  readonly name: string;
  readonly pool: string | null;
  readonly maintenance: boolean;
}
interface Work {
  readonly tenant: string;
  readonly key: string;
  readonly place: string | null;
  readonly needsFolder: boolean;
  readonly organization: string;
  readonly dueAt: number;
}

const store = ({ store: one }: AppContext, members: readonly Member[], work: readonly Work[]) =>
  one.system(async (db) => {
    await sql`delete from background_job`.execute(db);
    await sql`delete from proxy_member`.execute(db);
    for (const { tenant, name, pool, maintenance } of members)
      await sql`insert into proxy_member values (${tenant}, ${name}, ${pool}, ${maintenance})`.execute(
        db,
      );
    for (const { tenant, key, place, needsFolder, organization, dueAt } of work)
      await sql`insert into background_job (tenant_id, type, key, due_at, place, needs_folder, organization)
        values (${tenant}, ${TYPE}, ${key}, ${dueAt}, ${place}, ${needsFolder}, ${organization})`.execute(
        db,
      );
  });

const lease = (
  { store: one }: AppContext,
  name: string,
  hasFolder: boolean,
  free: number,
  perTenant = free,
) =>
  one.system(
    async (db) =>
      (
        await leaseDueJobs(
          db,
          `the process of ${name}`,
          { name, hasFolder },
          [{ type: TYPE, free, per_tenant: perTenant, max_wait: 1_000, is_routed: true }],
          [],
          NOW,
        )
      ).jobs,
  );

const ORGANIZATIONS = ['a', 'b', 'c'].map((digit) => `00000000-0000-4000-8000-${digit.repeat(12)}`);

/** Written for reading, not for speed: who may do the work. */
function mayDo(work: Work, name: string, hasFolder: boolean, members: readonly Member[]): boolean {
  if (work.needsFolder && !hasFolder) return false;
  const member = members.find((one) => one.tenant === work.tenant && one.name === name);
  if (member?.maintenance === true) return false;
  if (work.place === null) return true;
  if (work.place.startsWith('proxy ')) return work.place.slice('proxy '.length) === name;
  return member !== undefined && work.place === `pool ${member.pool}`;
}

eachDatabase((kind, open) => {
  test(`PRX-1: work goes to the proxy or pool that its repository names, and never to one in maintenance (${kind})`, async () => {
    const { context } = await withoutJobs(open);
    const tenants = [randomUUID(), randomUUID()];
    let state = 7;
    const pick = <T>(from: readonly T[]): T => {
      state = (state * 48_271) % 2_147_483_647;
      return from[state % from.length] as T;
    };
    const names = ['Built-in', 'north 1', 'north 2', 'south'];
    for (let round = 0; round < 12; round += 1) {
      const members = tenants.flatMap((tenant) =>
        names
          .filter(() => pick([true, true, false]))
          .map((name) => ({
            tenant,
            name,
            pool: pick([null, 'north', 'south', 'proxy south']),
            maintenance: pick([false, false, true]),
          })),
      );
      const work = Array.from({ length: 40 }, (_, n) => ({
        tenant: pick(tenants),
        key: `${round} ${n}`,
        place: pick([
          null,
          'pool north',
          'pool south',
          'pool proxy south',
          'pool gone',
          ...names.map((name) => `proxy ${name}`),
        ]),
        needsFolder: pick([true, false]),
        organization: pick(ORGANIZATIONS),
        dueAt: NOW - pick([0, 1, 1_000]),
      }));
      const name = pick(names);
      const hasFolder = pick([true, false]);
      await store(context, members, work);
      const leased = (await lease(context, name, hasFolder, 100)).map(({ key }) => key).sort();
      const expected = work
        .filter((one) => mayDo(one, name, hasFolder, members))
        .map(({ key }) => key)
        .sort();
      expect({ round, name, hasFolder, leased }).toEqual({
        round,
        name,
        hasFolder,
        leased: expected,
      });
    }
  });

  test(`PRX-2: organizations get places in turn, however much work one of them has and whatever is due first (${kind})`, async () => {
    const { context } = await withoutJobs(open);
    const tenant = randomUUID();
    const [busy, second, third] = ORGANIZATIONS as [string, string, string];
    const one = (key: string, organization: string, dueAt: number): Work => ({
      tenant,
      key,
      place: null,
      needsFolder: false,
      organization,
      dueAt,
    });
    await store(
      context,
      [],
      [
        ...Array.from({ length: 20 }, (_, n) =>
          one(`busy ${String(n).padStart(2, '0')}`, busy, NOW - 9_000 + n),
        ),
        one('second', second, NOW - 20),
        one('third', third, NOW - 10),
      ],
    );
    const first = await lease(context, 'north 1', false, 3);
    expect(first.map(({ key }) => key).sort()).toEqual(['busy 00', 'second', 'third']);
    // What one proxy runs counts for the next one too.
    await context.store.system((db) =>
      sql`update background_job set organization = ${second} where key = 'busy 19'`.execute(db),
    );
    await context.store.system((db) =>
      sql`delete from background_job where key in ('second', 'third')`.execute(db),
    );
    expect((await lease(context, 'south', false, 1)).map(({ key }) => key)).toEqual(['busy 19']);
  });
});
