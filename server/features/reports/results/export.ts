import type { JobN, Ms, RunN, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { BOM, csvLine, csvName } from '#contract/runs/csv.ts';
import type { ExportColumn, FileColumnId } from '#contract/runs/csv.ts';
import { reportColumns } from '#contract/reports/result-csv.ts';
import { failed, ok } from '#contract/result.ts';
import { refuse } from '#server/platform/http/envelope.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { describeError } from '#server/platform/http/serve-call.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { getTitles } from '#contract/runs/csv-cells.ts';
import { getCells } from './cells.ts';
import type { Around } from './cells.ts';
import { knownJobs } from '#server/platform/queries/known-jobs.ts';
import type { KnownJobs } from '#server/platform/queries/known-jobs.ts';
import { loadLastGood } from '#server/platform/queries/last-good.ts';
import { answer, bad } from '#server/platform/queries/query.ts';
import type { Question } from '#server/platform/queries/query.ts';
import { findResults } from '#server/platform/queries/results.ts';
import { loadAllUserNames, loadRunDetails } from '#server/platform/queries/run-details.ts';

/** The number of results read at once, and the maximum in a file. */
const BATCH_SIZE = 1_000;
export const MAX_EXPORTED = 1_000_000;
const LAST_DAYS = 2;

/** An export in progress: its results in order, and the data for their cells. */
interface Begun {
  readonly ns: readonly RunN[];
  readonly jobs: KnownJobs;
  readonly around: Omit<Around, 'stats'>;
  readonly question: Question;
}

/**
 * REP-9: exports results as CSV. The results and their order are fixed at the start. They are read
 * in batches, as fast as the client receives them.
 */
export function exportHandlers(context: AppContext): Pick<Handlers, 'exportResults'> {
  return {
    async exportResults({ columns: chosen, ...input }, ctx) {
      const columns = reportColumns(chosen);
      const begun = await answer<Begun>(
        context,
        ctx,
        MESSAGES.export,
        input,
        LAST_DAYS,
        async (tx, question) => {
          const jobs = await knownJobs(tx, question);
          const ns = await findResults(tx, question, jobs, input, {
            first: 0,
            max: MAX_EXPORTED + 1,
          });
          if (ns.length > MAX_EXPORTED) return failed(bad('from', MESSAGES.exportTooLong));
          const lastGood = columns.some(({ id }) => id === 'lastGood')
            ? await loadLastGood(tx, question)
            : new Map<JobN, Ms>();
          return ok({
            ns,
            jobs,
            question,
            around: {
              names: await loadAllUserNames(tx),
              lastGood,
              anomalies: input.filters?.anomaly ?? true,
              wall: question.wall,
              now: question.now,
            },
          });
        },
      );
      if (!begun.ok) return refuse(begun.failure);
      const {
        wall: { timeZone },
        now,
      } = begun.value.question;
      return new Response(getFile(context, ctx.tenant, columns, begun.value), {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="${csvName('DailyChecks', now, timeZone)}"`,
        },
      });
    },
  };
}

function getFile(
  context: AppContext,
  tenant: TenantId,
  columns: readonly ExportColumn<FileColumnId>[],
  { ns, jobs, around }: Begun,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(BOM + csvLine(getTitles(columns))));
    },
    async pull(controller) {
      if (next >= ns.length) {
        controller.close();
        return;
      }
      const some = ns.slice(next, next + BATCH_SIZE);
      next += BATCH_SIZE;
      try {
        controller.enqueue(
          encoder.encode(
            await context.store.tenant(
              tenant,
              async (tx) => {
                const details = await loadRunDetails(tx, some, jobs);
                const stats = await tx.rows('stat', [
                  ...new Set(details.map(({ run }) => run.job)),
                ]);
                return details
                  .map((one) => csvLine(getCells(one, columns, { ...around, stats })))
                  .join('');
              },
              { readOnly: true },
            ),
          ),
        );
      } catch (error) {
        // A truncated file must not look complete.
        context.log.error('an export failed', describeError(error));
        controller.error(error);
      }
    },
  });
}
