import type { PreferenceRow } from '#contract/auth/preferences.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { utcDay } from '#contract/time/day.ts';
import { LIMITS, PROTOCOL } from '#contract/limits.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import type { ShiftRow } from '#contract/daily-checks/hand-over.ts';
import { seesUser } from '#contract/users/authority.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { brandingOf } from '#server/platform/tenancy/branding.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { meOf } from '#server/platform/auth/current-user.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { daysOf } from './days.ts';
import type { Kinds } from './tables.ts';
import { syncedSources } from './last-sync.ts';
import { epochFor, scopeOf, seesCompany, seesView, sharesCompany } from './scope.ts';
import type { Scope } from './scope.ts';
import { visibleCompany, visibleJob, visibleProblem } from './visible.ts';

const DAY_MS = 86_400_000;

/** Everything comes from one snapshot of the database: the small tables match `cursor` exactly. */
export async function bootstrap(
  tx: TenantTx,
  session: Principal,
  now: Ms,
  kinds: Kinds,
): Promise<Bootstrap> {
  const companies = await tx.all('company');
  const scope = scopeOf({
    ...session,
    deleted: companies.flatMap(({ n, deletedAt }) => (deletedAt === undefined ? [] : [n])),
  });
  const head = await tx.head();
  const { reads } = scope;
  const windowFrom = utcDay(now - (LIMITS.windowDays - 1) * DAY_MS);
  const branding = await brandingOf(tx);
  const results = reads.has('result');
  const [jobs, causes, problems, keys] = [
    results ? await tx.all('job') : [],
    results ? await tx.all('cause') : [],
    results ? await problemsSince(tx, scope, Date.parse(windowFrom)) : [],
    reads.has('key') ? await tx.all('key') : [],
  ];
  const ownCauses = scope.companies === null ? null : new Set(problems.map(({ cause }) => cause));
  const views = reads.has('view') ? await tx.all('view') : [];
  const shifts = reads.has('shift') && scope.companies === null ? await shiftsOf(tx) : [];
  return {
    protocol: PROTOCOL,
    epoch: epochFor(head.epoch, scope),
    cursor: head.seq,
    serverNow: now,
    me: await meOf(tx, session),
    branding,
    windowFrom,
    days: results ? await daysOf(tx, scope, windowFrom, head, kinds) : [],
    people: await peopleOf(tx, scope, problems),
    companies: reads.has('company')
      ? companies.filter(({ n }) => seesCompany(scope, n)).map((row) => visibleCompany(scope, row))
      : [],
    jobs: jobs
      .filter(({ company }) => seesCompany(scope, company))
      .map((row) => visibleJob(scope, row)),
    causes: causes.filter(({ n }) => ownCauses?.has(n) ?? true),
    problems,
    views: views.filter((view) => view.removedAt === null && seesView(scope, view)),
    shifts,
    preferences: await preferencesOf(tx, scope),
    keys: keys.filter(({ company }) => seesCompany(scope, company)),
    sources: await syncedSources(tx, scope, now),
  };
}

const SHIFTS = 20;
const shiftsOf = async (tx: TenantTx): Promise<ShiftRow[]> =>
  (
    await tx.sql
      .selectFrom('shift')
      .select('row')
      .where('tenant_id', '=', tx.tenant)
      .orderBy('received_at', 'desc')
      .limit(SHIFTS)
      .execute()
  ).map(({ row }) => row);

const preferencesOf = async (tx: TenantTx, { own }: Scope): Promise<PreferenceRow[]> =>
  (
    await tx.sql
      .selectFrom('preference')
      .select('row')
      .where('tenant_id', '=', tx.tenant)
      .where('user_id', '=', own)
      .execute()
  ).map(({ row }) => row);

/** Returns open problems, and those that a run of the window may refer to. */
async function problemsSince(tx: TenantTx, scope: Scope, since: Ms): Promise<ProblemRow[]> {
  let query = tx.sql
    .selectFrom('problem')
    .select('row')
    .where('tenant_id', '=', tx.tenant)
    .where((e) => e.or([e('closed_at', 'is', null), e('last_at', '>=', since)]));
  if (scope.companies !== null)
    query = query.where('company_n', 'in', scope.companies.size === 0 ? [0] : [...scope.companies]);
  else if (scope.deleted.size > 0) query = query.where('company_n', 'not in', [...scope.deleted]);
  return (await query.orderBy('n').execute()).map(({ row }) => visibleProblem(scope, row));
}

/**
 * Names that the scope may read, always including the user's own. With only some companies: users
 * who see one of them too, and users who acted on what the scope sees. A user administrator also
 * gets the users that they manage.
 */
async function peopleOf(
  tx: TenantTx,
  scope: Scope,
  problems: readonly ProblemRow[],
): Promise<{ id: string; name: string }[]> {
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
