import type { PreferenceRow } from '#contract/account/preferences.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { LIMITS, PROTOCOL } from '#contract/limits.ts';
import type { ProblemRow } from '#contract/monitoring/rows.ts';
import type { ShiftRow } from '#contract/monitoring/shift.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { brandingOf } from '#server/branding.ts';
import type { Signed } from '#server/http/handler.ts';
import { meOf } from '#server/me.ts';
import type { TenantTx } from '#server/store/store.ts';
import { dayAt, daysOf } from './days.ts';
import type { Kinds } from './kinds.ts';
import { scopeOf, seesCompany, seesView } from './scope.ts';
import type { Scope } from './scope.ts';

const DAY_MS = 86_400_000;

/** All of it from one snapshot of the database: the small tables stand exactly at `cursor`. */
export async function bootstrap(tx: TenantTx, signed: Signed, now: Ms, kinds: Kinds): Promise<Bootstrap> {
  const companies = await tx.all('company');
  const scope = scopeOf({ ...signed, deleted: companies.flatMap(({ n, deletedAt }) => (deletedAt === undefined ? [] : [n])) });
  const head = await tx.head();
  const { seq, epoch } = head;
  const windowFrom = dayAt(now - (LIMITS.windowDays - 1) * DAY_MS);
  const branding = await brandingOf(tx);
  const [jobs, causes, problems, keys, people] = [
    await tx.all('job'), await tx.all('cause'), await problemsSince(tx, scope, Date.parse(windowFrom)),
    scope.keys ? await tx.all('key') : [], await peopleOf(tx),
  ];
  const own = scope.companies === null ? null : { causes: new Set(problems.map(({ cause }) => cause)), people: await peopleSeen(tx, scope, problems) };
  const views = await tx.all('view');
  const [shifts, preferences] = [scope.companies === null ? await shiftsOf(tx) : [], await preferencesOf(tx, scope)];
  return {
    protocol: PROTOCOL, epoch, cursor: seq, serverNow: now, me: await meOf(tx, signed), branding, windowFrom,
    days: await daysOf(tx, scope, windowFrom, head, kinds),
    people: people.filter(({ id }) => own?.people.has(id) ?? true),
    companies: companies.filter(({ n }) => seesCompany(scope, n)),
    jobs: jobs.filter(({ company }) => seesCompany(scope, company)),
    causes: causes.filter(({ n }) => own?.causes.has(n) ?? true), problems,
    views: views.filter((view) => view.removedAt === null && seesView(scope, view)), shifts, preferences,
    keys: keys.filter(({ company }) => seesCompany(scope, company)),
  };
}

const SHIFTS = 20;
const shiftsOf = async (tx: TenantTx): Promise<ShiftRow[]> =>
  (await tx.sql.selectFrom('shift').select('row').where('tenant_id', '=', tx.tenant).orderBy('received_at', 'desc').limit(SHIFTS).execute()).map(({ row }) => row);

const preferencesOf = async (tx: TenantTx, { own }: Scope): Promise<PreferenceRow[]> =>
  (await tx.sql.selectFrom('preference').select('row').where('tenant_id', '=', tx.tenant).where('user_id', '=', own).execute()).map(({ row }) => row);

/** Open ones, and those that a run of the window may name. */
async function problemsSince(tx: TenantTx, scope: Scope, since: Ms): Promise<ProblemRow[]> {
  let query = tx.sql.selectFrom('problem').select('row').where('tenant_id', '=', tx.tenant)
    .where((e) => e.or([e('closed_at', 'is', null), e('last_at', '>=', since)]));
  if (scope.companies !== null) query = query.where('company_n', 'in', scope.companies.size === 0 ? [0] : [...scope.companies]);
  else if (scope.deleted.size > 0) query = query.where('company_n', 'not in', [...scope.deleted]);
  return (await query.orderBy('n').execute()).map(({ row }) => row);
}

/** For who sees some companies: itself, who sees one of them too, and whoever has dealt with what it sees. */
async function peopleSeen(tx: TenantTx, { companies, own }: Scope, problems: readonly ProblemRow[]): Promise<ReadonlySet<UserId>> {
  const beside = (await tx.all('user')).filter((user) => user.companies === null || user.companies.some((n) => companies?.has(n) === true)).map(({ id }) => id);
  return new Set([own, ...beside, ...problems.flatMap(({ review, snooze, note }) => [review, snooze, note].flatMap((one) => one?.by ?? []))]);
}

const peopleOf = (tx: TenantTx): Promise<{ id: string; name: string }[]> =>
  tx.sql.selectFrom('person').select(['id', 'name']).where('tenant_id', '=', tx.tenant).orderBy('id').execute();
