import { sql } from 'kysely';
import type { Features } from '#contract/branding/branding.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { startOfDay, utcDay } from '#contract/time/day.ts';
import { REPORT_MOST_DAYS } from '#contract/runs/result-filters.ts';
import { soughtIn } from '#contract/search/search.ts';
import type { Sought } from '#contract/search/search.ts';
import { SEARCH_KINDS } from '#contract/search/calls.ts';
import type { FoundOut, SearchKind } from '#contract/search/calls.ts';
import { mayOpen, PAGES } from '#contract/pages.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import type { Handlers, Principal } from '#server/platform/http/handler.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { bad, reachOf, wallOf } from '#server/platform/queries/query.ts';
import type { Wall } from '#server/platform/queries/query.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import {
  companiesOf,
  computersOf,
  hintsOf,
  jobHits,
  jobsOf,
  repositoriesOf,
  rulesOf,
  seekFor,
  ticketsOf,
  usersOf,
} from './names.ts';
import type { JobHit, Seek } from './names.ts';
import { resultsOf } from './results.ts';

const DAY: Ms = 86_400_000;
/** The default number of results for each kind. */
const SOME = 6;
/** The timeouts of a query, and of reading further days. */
const STATEMENT_MOST: Ms = 3_000;
const READING_MOST: Ms = 1_500;

/**
 * SEEK-1: searches everything by name, limited to the kinds that the user can open and the
 * companies they see. If it takes too long, it leaves out the results and reports that there are
 * more.
 */
export const searchHandlers = (world: AppContext): Pick<Handlers, 'search'> => ({
  async search({ text, kinds, limit = SOME, from, to }, ctx) {
    const { session } = ctx;
    if (!session) throw new Error('a search without a session');
    const sought = soughtIn(text);
    const reach = reachOf(ctx, undefined);
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
      world.store.tenant(
        ctx.tenant,
        async (tx) => {
          await sql`select set_config('statement_timeout', ${String(STATEMENT_MOST)}, true)`.execute(
            tx.sql,
          );
          return work(tx);
        },
        { readOnly: true },
      );
    const names = await within(async (tx) => {
      const wall = await wallOf(tx);
      const time = timeOf(sought, from, to, wall, ctx.now);
      const {
        branding: { features },
      } = await tx.sql
        .selectFrom('provider')
        .select('branding')
        .where('tenant_id', '=', ctx.tenant)
        .executeTakeFirstOrThrow();
      const asked = new Set(
        [...(kinds ?? SEARCH_KINDS)].filter((kind) => mayFind(kind, session, features)),
      );
      const seek = await seekFor(tx, session, reach, sought.words, limit);
      const hits = asked.has('jobs') || asked.has('results') ? await jobHits(seek) : [];
      return {
        wall,
        time,
        asked,
        hits,
        found: { ...none, ...(sought.words.length > 0 && (await found(seek, asked, hits))) },
      };
    });
    const { asked, time, wall, hits } = names;
    if (!time.ok) return time;
    if (!asked.has('results')) return ok(names.found);
    const question = { ...time.value, ...reach, wall, now: ctx.now };
    const began = world.clock.now();
    const late = (): boolean => world.clock.now() - began > READING_MOST;
    try {
      return ok({
        ...names.found,
        results: await within(async (tx) =>
          resultsOf({
            seek: await seekFor(tx, session, reach, sought.words, limit),
            hits,
            question,
            late,
          }),
        ),
      });
    } catch (error) {
      if (!isTooLong(error)) throw error;
      world.log.warn('a search for results was given up', {
        tenant: ctx.tenant,
        ms: world.clock.now() - began,
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
  asked: ReadonlySet<SearchKind>,
  hits: readonly JobHit[],
): Promise<Partial<FoundOut>> {
  return {
    ...(asked.has('companies') && { companies: companiesOf(seek) }),
    ...(asked.has('jobs') && { jobs: jobsOf(seek, hits) }),
    ...(asked.has('computers') && { computers: await computersOf(seek) }),
    ...(asked.has('users') && { users: await usersOf(seek) }),
    ...(asked.has('repositories') && { repositories: await repositoriesOf(seek) }),
    ...(asked.has('tickets') && { tickets: await ticketsOf(seek) }),
    ...(asked.has('rules') && { rules: await rulesOf(seek) }),
    ...(asked.has('hints') && { hints: await hintsOf(seek) }),
  };
}

/**
 * Returns the days in the text, or the given period, or the twelve months before the period stored
 * on devices.
 */
function timeOf(
  { days }: Sought,
  from: Ms | undefined,
  to: Ms | undefined,
  { timeZone, dayBeginsHour }: Wall,
  now: Ms,
): Result<{ readonly from: Ms; readonly to: Ms }> {
  if (days)
    return ok({
      from: startOfDay(days.from, timeZone, dayBeginsHour),
      to: startOfDay(days.to + 1, timeZone, dayBeginsHour),
    });
  if (from === undefined && to === undefined) {
    const kept = Date.parse(utcDay(now - (LIMITS.windowDays - 1) * DAY));
    return ok({ from: kept - REPORT_MOST_DAYS * DAY, to: kept });
  }
  const end = to ?? now + 1;
  const first = from ?? end - REPORT_MOST_DAYS * DAY;
  if (end <= first) return failed(bad('to', MESSAGES.evidenceEmpty));
  return end - first > REPORT_MOST_DAYS * DAY
    ? failed(bad('from', MESSAGES.evidenceTooLong))
    : ok({ from: first, to: end });
}
