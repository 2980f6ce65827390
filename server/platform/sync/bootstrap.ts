import type { Ms, UserId } from '#contract/ids.ts';
import { utcDay } from '#contract/time/day.ts';
import { LIMITS, PROTOCOL } from '#contract/limits.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import { seesUser } from '#contract/users/authority.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { loadBranding } from '#server/platform/tenancy/branding.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { loadCurrentUser } from '#server/platform/auth/current-user.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadDays } from './days.ts';
import { syncedSources } from './last-sync.ts';
import { visibleRows } from './bootstrap-rows.ts';
import { epochFor, toScope, sharesCompany } from './scope.ts';
import type { SyncScope } from './scope.ts';

/** Everything comes from one snapshot of the database: the small tables match `cursor` exactly. */
export async function bootstrap(tx: TenantTx, session: Principal, now: Ms): Promise<Bootstrap> {
  const companies = await tx.all('company');
  const scope = toScope({
    ...session,
    deleted: companies.flatMap(({ n, deletedAt }) => (deletedAt === undefined ? [] : [n])),
  });
  const head = await tx.head();
  const { reads } = scope;
  const windowFrom = utcDay(now - (LIMITS.windowDays - 1) * DAY_MS);
  const branding = await loadBranding(tx);
  const rows = await visibleRows(tx, scope, Date.parse(windowFrom), companies);
  return {
    protocol: PROTOCOL,
    epoch: epochFor(head.epoch, scope),
    cursor: head.seq,
    serverNow: now,
    me: await loadCurrentUser(tx, session),
    branding,
    windowFrom,
    days: reads.has('result') ? await loadDays(tx, scope, windowFrom, head) : [],
    people: await loadPeople(tx, scope, rows.problems),
    ...rows,
    sources: await syncedSources(tx, scope, now),
  };
}

/**
 * Names that the scope may read, always including the user's own. With only some companies: users
 * who see one of them too, and users who acted on what the scope sees. A user administrator also
 * gets the users that they manage.
 */
async function loadPeople(
  tx: TenantTx,
  scope: SyncScope,
  problems: readonly ProblemRow[],
): Promise<{ id: UserId; name: string }[]> {
  const { companies, own, reads } = scope;
  const named = await tx.sql
    .selectFrom('person')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy('id')
    .execute();
  const [beside, managed] = [reads.has('person'), reads.has('managedPerson')];
  if (companies === null && (beside || managed)) return named;
  const users = beside || managed ? await tx.all('user') : [];
  const reach = companies && [...companies];
  const seen = new Set<UserId>([
    own,
    ...users
      .filter(
        (user) =>
          (beside && sharesCompany(scope, user)) ||
          (managed && seesUser({ companies: reach }, user)),
      )
      .map(({ id }) => id),
    ...(beside
      ? problems.flatMap(({ review, snooze, note }) =>
          [review, snooze, note].flatMap((one) => one?.by ?? []),
        )
      : []),
  ]);
  return named.filter(({ id }) => seen.has(id));
}
