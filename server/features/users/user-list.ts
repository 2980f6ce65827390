import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { UserId } from '#contract/ids.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { coversRoles, seesUser } from '#contract/users/authority.ts';
import type { UserRow } from '#contract/users/rows.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { utcText, wallText } from '#contract/runs/csv.ts';
import { ok } from '#contract/result.ts';
import type { SessionContext, Handlers, Principal } from '../../platform/http/handler.ts';
import type { PersonTable } from '../../platform/db/database-account.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { csvAnswer, loadZone } from '../../platform/http/csv-response.ts';
import { userMessages as t } from './messages.en.ts';
import { loadProviderSettings } from '../../platform/tenancy/provider-settings.ts';

type Query = Omit<ParsedInputOf<'listUsers'>, 'page' | 'pageSize'>;
type Person = Selectable<PersonTable>;
/** Up to this many users are queried by id; for more, all are read. */
const MAX_NAMED = 1_000;
interface Found {
  readonly person: Person;
  readonly user: UserRow;
}

export const userListHandlers = (
  context: AppContext,
): Pick<Handlers, 'listUsers' | 'exportUsers'> => ({
  listUsers: ({ page = 1, pageSize = PAGE_SIZE, ...query }, ctx) =>
    context.store.tenant(
      ctx.tenant,
      async (tx) => {
        const found = await findUsers(tx, ctx, query);
        return ok<OutputOf<'listUsers'>>({
          rows: await listed(
            tx,
            ctx.session,
            found.slice((page - 1) * pageSize, page * pageSize),
            ctx.now,
          ),
          count: found.length,
          page,
          pageSize,
        });
      },
      { readOnly: true },
    ),

  exportUsers: (query, ctx) =>
    context.store.tenant(
      ctx.tenant,
      async (tx) => {
        const zone = await loadZone(tx);
        const rows = await listed(tx, ctx.session, await findUsers(tx, ctx, query), ctx.now);
        const moments = (at: number | null): readonly (string | null)[] =>
          at === null ? [null, null] : [wallText(at, zone), utcText(at)];
        return csvAnswer('Users', ctx.now, zone, [
          [
            t.username,
            t.name,
            t.email,
            t.roles,
            t.companies,
            t.accounts,
            t.signInMethod,
            t.secondFactor,
            t.lastSignIn({ zone }),
            t.lastSignInUtc,
            t.created({ zone }),
            t.createdUtc,
            t.deleted,
          ],
          ...rows.map((one) => [
            one.username,
            one.name,
            one.email,
            one.roles,
            one.companies === null ? t.all : one.companies.map(({ name }) => name).join(', '),
            one.accounts.map(({ accountId }) => accountId).join(', '),
            one.auth,
            one.secondFactor,
            ...moments(one.lastSignIn),
            ...moments(one.madeAt),
            one.deleted ? t.yes : t.no,
          ]),
        ]);
      },
      { readOnly: true },
    ),
});

/** Returns the users that the caller manages, in the requested order. */
async function findUsers(
  tx: TenantTx,
  { session }: SessionContext,
  { search = '', sort = 'username', role, deleted }: Query,
): Promise<Found[]> {
  const users = new Map(
    (await tx.all('user'))
      .filter((user) => user.id === session.userId || seesUser(session, user))
      .map((user) => [user.id, user]),
  );
  const people = await tx.sql
    .selectFrom('person')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .execute();
  const term = search.toLowerCase();
  const found = people.flatMap((person): Found[] => {
    const user = users.get(person.id);
    if (
      !user ||
      (deleted === undefined
        ? user.deletedAt !== null
        : deleted === 'only' && user.deletedAt === null)
    )
      return [];
    if (role !== undefined && !user.roles.includes(role)) return [];
    if (
      term !== '' &&
      ![person.username, person.name, person.email ?? ''].some((text) =>
        text.toLowerCase().includes(term),
      )
    )
      return [];
    return [{ person, user }];
  });
  const down = sort.startsWith('-');
  const by = sort.replace('-', '');
  const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  const seen = by === 'lastSignIn' ? await lastSignIns(tx) : new Map<UserId, number>();
  const order = (a: Found, b: Found): number => {
    if (by === 'lastSignIn') return (seen.get(a.person.id) ?? 0) - (seen.get(b.person.id) ?? 0);
    if (by === 'madeAt') return a.user.madeAt - b.user.madeAt;
    const text = ({ person }: Found): string =>
      by === 'name' ? person.name : by === 'email' ? (person.email ?? '') : person.username;
    return names.compare(text(a), text(b));
  };
  return found.sort(
    (a, b) => (down ? -order(a, b) : order(a, b)) || (a.person.id < b.person.id ? -1 : 1),
  );
}

/**
 * Returns one user as the caller sees them; null if the user does not exist or the caller does not
 * manage them.
 */
export async function userListed(
  tx: TenantTx,
  session: Principal,
  id: UserId,
  now: number,
): Promise<UserListed | null> {
  const user = (await tx.rows('user', [id])).get(id);
  const person = await tx.sql
    .selectFrom('person')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!user || !person || !seesUser(session, user)) return null;
  const [one] = await listed(tx, session, [{ person, user }], now);
  return one ?? null;
}

async function listed(
  tx: TenantTx,
  session: Principal,
  found: readonly Found[],
  now: number,
): Promise<UserListed[]> {
  if (found.length === 0) return [];
  const ids = found.map(({ person }) => person.id);
  const companies = new Map(
    (await tx.all('company'))
      .filter(({ deletedAt }) => deletedAt === undefined)
      .map((company) => [company.n, company]),
  );
  const settings = await loadProviderSettings(tx);
  const totp = new Set(
    (
      await tx.sql
        .selectFrom('totp')
        .select('user_id')
        .where('tenant_id', '=', tx.tenant)
        .where('user_id', 'in', ids)
        .where('confirmed_at', 'is not', null)
        .execute()
    ).map((row) => row.user_id),
  );
  const passkeys = new Set(
    (
      await tx.sql
        .selectFrom('passkey')
        .select('user_id')
        .where('tenant_id', '=', tx.tenant)
        .where('user_id', 'in', ids)
        .execute()
    ).map((row) => row.user_id),
  );
  const [seen, open] = [
    await lastSignIns(tx, ids.length > MAX_NAMED ? null : ids),
    await signedInNow(tx, now),
  ];
  return found.map(({ person, user }): UserListed => {
    const own = person.settings;
    const bySms =
      person.mobile_phone !== null && (own.sms === true || settings.secondFactor === 'sms');
    return {
      _id: person.id,
      username: person.username,
      name: person.name,
      email: person.email,
      emailVerified: person.email_verified,
      roles: user.roles.join(', '),
      acl: user.roles.map((role) => ({ role })),
      companies:
        user.companies &&
        user.companies.flatMap((n) => {
          const one = companies.get(n);
          return one ? [{ n, _id: one.id, name: one.name }] : [];
        }),
      auth: person.auth,
      mobilePhone: person.mobile_phone,
      officePhone: person.office_phone,
      sms: own.sms ?? false,
      sso: { vac: own.sso?.vac ?? null, vcd: own.sso?.vcd ?? null, zerto: own.sso?.zerto ?? null },
      accounts: (own.accounts ?? []).map(({ accountId, name }) => ({
        accountId,
        name: name ?? null,
      })),
      managedFilterType: own.managedFilterType ?? null,
      assignAsConnectWiseOwner: own.assignAsConnectWiseOwner ?? false,
      forceSecurityQuestions: person.force_questions,
      veeamServiceAccount: own.veeamServiceAccount ?? null,
      isO365Migrator: own.isO365Migrator ?? false,
      landingPage: own.landingPage ?? null,
      features: own.features ?? [],
      passwordReset: person.password_reset,
      invited: person.auth === 'db' && person.password_hash === null,
      deleted: user.deletedAt !== null,
      deletedAt: user.deletedAt,
      madeAt: user.madeAt,
      lastSignIn: seen.get(person.id) ?? null,
      signedIn: open.has(person.id),
      secondFactor: passkeys.has(person.id)
        ? 'passkey'
        : totp.has(person.id)
          ? 'totp'
          : bySms
            ? 'sms'
            : 'none',
      editable: coversRoles(session, user.roles),
    };
  });
}

/**
 * Returns the last sign-ins by the users themselves, without impersonation. For deleted sessions it
 * uses the audit log.
 */
async function lastSignIns(
  tx: TenantTx,
  ids: readonly UserId[] | null = null,
): Promise<Map<UserId, number>> {
  const only = ids === null ? sql`` : sql`and p.id in (${sql.join(ids)})`;
  // Each subquery reads from the end of its index, not years of the audit log.
  const { rows } = await sql<{ id: UserId; at: number | null }>`select p.id, greatest(
      (select max(made_at) from session where tenant_id = ${tx.tenant} and user_id = p.id and actor_id is null),
      (select at from audit where tenant_id = ${tx.tenant} and user_id = p.id and what = 'sign-in.done' order by at desc limit 1)
    ) as at from person as p where p.tenant_id = ${tx.tenant} ${only}`.execute(tx.sql);
  return new Map(rows.flatMap((row) => (row.at === null ? [] : [[row.id, row.at] as const])));
}

async function signedInNow(tx: TenantTx, now: number): Promise<Set<UserId>> {
  const rows = await tx.sql
    .selectFrom('session')
    .select('user_id')
    .distinct()
    .where('tenant_id', '=', tx.tenant)
    .where('actor_id', 'is', null)
    .where('ended_at', 'is', null)
    .where('idle_until', '>', now)
    .where('absolute_until', '>', now)
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}
