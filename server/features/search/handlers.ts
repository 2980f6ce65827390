import { sql } from 'kysely';
import type { Features } from '#contract/branding/branding.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { startOfDay, utcDay } from '#contract/time/day.ts';
import { MAX_REPORT_DAYS } from '#contract/runs/result-filters.ts';
import { soughtIn } from '#contract/search/search.ts';
import type { Sought } from '#contract/search/search.ts';
import { SEARCH_KINDS } from '#contract/search/calls.ts';
import type { FoundOut, SearchKind } from '#contract/search/calls.ts';
import { mayOpen, PAGES } from '#contract/pages.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { Handlers, Principal } from '#server/platform/http/handler.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { bad, getScope, loadCompanyLimit } from '#server/platform/queries/query.ts';
import type { DayBounds } from '#server/platform/queries/query.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import {
  searchCompanies,
  loadComputers,
  loadHints,
  jobHits,
  searchJobs,
  searchRepositories,
  loadRules,
  seekFor,
  loadTickets,
  loadUsers,
} from './names.ts';
import type { JobHit, Seek } from './names.ts';
import { loadResults } from './results.ts';

/** The default number of results for each kind. */
const SOME = 6;
/** The timeouts of a query, and of reading further days. */
const MAX_STATEMENT_MS: Ms = 3_000;
const MAX_READING_MS: Ms = 1_500;

/**
 * SEEK-1: searches everything by name, limited to the kinds that the user can open and the
 * companies they see. If it takes too long, it leaves out the results and reports that there are
 * more.
 */
export const searchHandlers = (context: AppContext): Pick<Handlers, 'search'> => ({
  async search({ text, kinds, limit = SOME, from, to }, ctx) {
    const { session } = ctx;
    const sought = soughtIn(text);
    const reach = getScope(ctx, undefined);
    const none: FoundOut = {
      companies: null,
      jobs: null,
      computers: null,
      users: null,
      repositories: null,
      tickets: null,
      rules: null,
      hints: null,
      results: null,
    };
    const within = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          await sql`select set_config('statement_timeout', ${String(MAX_STATEMENT_MS)}, true)`.execute(
            tx.sql,
          );
          return work(tx);
        },
        { readOnly: true },
      );
    const names = await within(async (tx) => {
      const wall = await loadCompanyLimit(tx);
      const time = getTime(sought, from, to, wall, ctx.now);
      const {
        branding: { features },
      } = await tx.sql
        .selectFrom('provider')
        .select('branding')
        .where('tenant_id', '=', ctx.tenant)
        .executeTakeFirstOrThrow();
      const request = new Set(
        [...(kinds ?? SEARCH_KINDS)].filter((kind) => mayFind(kind, session, features)),
      );
      const seek = await seekFor(tx, session, reach, sought.words, limit);
      const hits = request.has('jobs') || request.has('results') ? await jobHits(seek) : [];
      return {
        wall,
        time,
        asked: request,
        hits,
        found: { ...none, ...(sought.words.length > 0 && (await found(seek, request, hits))) },
      };
    });
    const { asked: query, time, wall, hits } = names;
    if (!time.ok) return time;
    if (!query.has('results')) return ok(names.found);
    const question = { ...time.value, ...reach, wall, now: ctx.now };
    const began = context.clock.now();
    const late = (): boolean => context.clock.now() - began > MAX_READING_MS;
    try {
      return ok({
        ...names.found,
        results: await within(async (tx) =>
          loadResults({
            seek: await seekFor(tx, session, reach, sought.words, limit),
            hits,
            question,
            late,
          }),
        ),
      });
    } catch (error) {
      if (!isTooLong(error)) throw error;
      context.log.warn('a search for results was given up', {
        tenant: ctx.tenant,
        ms: context.clock.now() - began,
      });
      return ok({ ...names.found, results: { rows: [], more: true } });
    }
  },
});

/** The query was canceled because of its timeout. */
const isTooLong = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '57014';

/** Returns whether the user can open what a kind leads to. */
function mayFind(
  kind: SearchKind,
  session: Pick<Principal, 'roles' | 'key'>,
  features: Features,
): boolean {
  const opens = (path: keyof typeof PAGES): boolean => {
    const page = PAGES[path];
    return (
      mayOpen(page, session.roles, features) &&
      (page.ability === null || hasAbility(session, page.ability))
    );
  };
  switch (kind) {
    case 'jobs':
    case 'results':
      return hasAbility(session, 'monitoring.daily-checks');
    case 'computers':
      return opens('/monitoring/computers');
    case 'companies':
      return opens('/monitoring/companies') || hasAbility(session, 'monitoring.daily-checks');
    default:
      return opens(`/monitoring/${kind}`);
  }
}

async function found(
  seek: Seek,
  request: ReadonlySet<SearchKind>,
  hits: readonly JobHit[],
): Promise<Partial<FoundOut>> {
  return {
    ...(request.has('companies') && { companies: searchCompanies(seek) }),
    ...(request.has('jobs') && { jobs: searchJobs(seek, hits) }),
    ...(request.has('computers') && { computers: await loadComputers(seek) }),
    ...(request.has('users') && { users: await loadUsers(seek) }),
    ...(request.has('repositories') && { repositories: await searchRepositories(seek) }),
    ...(request.has('tickets') && { tickets: await loadTickets(seek) }),
    ...(request.has('rules') && { rules: await loadRules(seek) }),
    ...(request.has('hints') && { hints: await loadHints(seek) }),
  };
}

/**
 * Returns the days in the text, or the given period, or the twelve months before the period stored
 * on devices.
 */
function getTime(
  { days }: Sought,
  from: Ms | undefined,
  to: Ms | undefined,
  { timeZone, dayBeginsHour }: DayBounds,
  now: Ms,
): Result<{ readonly from: Ms; readonly to: Ms }> {
  if (days)
    return ok({
      from: startOfDay(days.from, timeZone, dayBeginsHour),
      to: startOfDay(days.to + 1, timeZone, dayBeginsHour),
    });
  if (from === undefined && to === undefined) {
    const stored = Date.parse(utcDay(now - (LIMITS.windowDays - 1) * DAY_MS));
    return ok({ from: stored - MAX_REPORT_DAYS * DAY_MS, to: stored });
  }
  const end = to ?? now + 1;
  const first = from ?? end - MAX_REPORT_DAYS * DAY_MS;
  if (end <= first) return failed(bad('to', MESSAGES.evidenceEmpty));
  return end - first > MAX_REPORT_DAYS * DAY_MS
    ? failed(bad('from', MESSAGES.evidenceTooLong))
    : ok({ from: first, to: end });
}
