import { sql } from 'kysely';
import type { OutputOf } from '#contract/calls.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { fullAt } from '#contract/repositories/capacity.ts';
import type { RepositoryRow } from '#contract/runs/rows.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { failed, ok } from '#contract/result.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { companyNames } from '#server/platform/queries/known-jobs.ts';
import { slicePage } from '#server/platform/queries/slice-page.ts';
import { answer, getDays, getEdges } from '#server/platform/queries/query.ts';
import { loadRepositories } from '#server/platform/queries/repositories.ts';
import { toIsoTime, isoOrNull } from '#server/platform/queries/run-details.ts';

const LAST_DAYS = 30;
interface Sample {
  readonly id: string;
  readonly day: number;
  readonly at: Ms;
  readonly used: number | null;
  readonly free: number | null;
  readonly capacity: number | null;
}

/** REP-8: how repositories fill up, as on the dashboard, and their history. */
export function repositoryReportHandlers(
  context: AppContext,
): Pick<Handlers, 'repositoryTrends' | 'repositoryHistory'> {
  return {
    repositoryTrends: ({ page = 1, pageSize = PAGE_SIZE }, ctx) =>
      answer<OutputOf<'repositoryTrends'>>(
        context,
        ctx,
        MESSAGES.getTrends,
        {},
        LAST_DAYS,
        async (tx, question) => {
          const names = await companyNames(tx);
          const rows = (await loadRepositories(tx, question))
            .map((row) => ({ row, full: fullAt(row) }))
            .sort((a, b) => (a.full ?? Infinity) - (b.full ?? Infinity) || order(a.row, b.row));
          return ok({
            rows: slicePage(rows, page, pageSize).map(({ row, full }) => ({
              ...toOutput(row, names),
              path: row.path,
              usedBytes: row.usedBytes,
              freeBytes: row.freeBytes,
              capacityBytes: row.capacityBytes,
              sampledAt: toIsoTime(row.sampledAt),
              fullAt: isoOrNull(full),
              daysLeft:
                full === null ? null : Math.max(0, Math.floor((full - question.now) / DAY_MS)),
              days: row.days.map(({ day, usedBytes, capacityBytes }) => ({
                date: day,
                usedBytes,
                capacityBytes,
              })),
            })),
            count: rows.length,
            page,
            pageSize,
          });
        },
      ),

    repositoryHistory: ({ page = 1, pageSize = PAGE_SIZE, repositoryId, ...input }, ctx) =>
      answer<OutputOf<'repositoryHistory'>>(
        context,
        ctx,
        MESSAGES.getRepositoryHistory,
        input,
        LAST_DAYS,
        async (tx, question) => {
          const all = await loadRepositories(tx, question);
          const meant =
            repositoryId === undefined ? all : all.filter(({ id }) => id === repositoryId);
          if (repositoryId !== undefined && meant.length === 0)
            return failed({ kind: 'not-found', message: MESSAGES.notFound });
          const days = getDays(question);
          const names = await companyNames(tx);
          const shown = slicePage([...meant].sort(order), page, pageSize);
          const samples = new Map<string, Sample[]>(shown.map(({ id }) => [id, []]));
          // The last sample of each day, by the primary key of the samples.
          const { rows } =
            await sql<Sample>`select distinct on (repository_id, day) repository_id as id, day, at, used, free, capacity from (
        select repository_id, at, used, free, capacity, width_bucket(at, ${getEdges([...days.map((one) => one.from), question.to])}::text::bigint[]) - 1 as day from repository_sample
        where tenant_id = ${tx.tenant} and repository_id in (${sql.join(shown.length === 0 ? [''] : shown.map(({ id }) => id))}) and at >= ${question.from} and at < ${question.to}) as one
        order by repository_id, day, at desc`.execute(tx.sql);
          for (const one of rows) samples.get(one.id)?.push(one);
          return ok({
            rows: shown.map((row) => ({
              ...toOutput(row, names),
              days: (samples.get(row.id) ?? []).map(({ day, at, used, free, capacity }) => ({
                date: days[day]?.date ?? '',
                at: toIsoTime(at),
                usedBytes: used,
                freeBytes: free,
                capacityBytes: capacity,
              })),
            })),
            count: meant.length,
            page,
            pageSize,
          });
        },
      ),
  };
}

const order = (a: RepositoryRow, b: RepositoryRow): number =>
  a.name.localeCompare(b.name, 'en') || a.company - b.company || (a.id < b.id ? -1 : 1);

const toOutput = (
  { id, company, name, type, hostName }: RepositoryRow,
  names: ReadonlyMap<CompanyN, string>,
) => ({ _id: id, company, companyName: names.get(company) ?? '', name, type, hostName });
