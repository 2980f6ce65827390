import type { Failure } from '#contract/errors.ts';
import type { ProblemN, RunN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { NOT_FOUND, toFieldFailure } from '../../platform/http/envelope.ts';
import { type SyncScope, isCompanyInScope } from '../../platform/sync/scope.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { blockedFor, type StoredTicketing } from './ticketing.ts';
import { ticketMessages as t } from './messages.en.ts';

export const conflict = (message: string): Failure => ({ kind: 'conflict', message });

/**
 * Returns the problems to act on, without duplicates: all named ones, or the open problems of the
 * named results. Fails if the caller cannot see one of them.
 */
export async function meantBy(
  tx: TenantTx,
  scope: SyncScope,
  {
    problems,
    runs,
  }: {
    readonly problems?: readonly ProblemN[] | undefined;
    readonly runs?: readonly RunN[] | undefined;
  },
): Promise<Result<readonly ProblemRow[]>> {
  if ((problems === undefined) === (runs === undefined))
    return failed(toFieldFailure('problems', t.problemsOrRuns));
  let ns = [...new Set(problems)];
  if (runs !== undefined) {
    const unique = [...new Set(runs)];
    const rows = [...(await tx.rows('run', unique)).values()];
    if (
      rows.length < unique.length ||
      rows.some(({ company }) => !isCompanyInScope(scope, company))
    )
      return failed(NOT_FOUND);
    ns = [...new Set(rows.flatMap(({ problem }) => problem ?? []))];
    if (ns.length === 0) return failed(conflict(MESSAGES.nothingToReview));
  }
  const found = [...(await tx.rows('problem', ns)).values()].filter(({ company }) =>
    isCompanyInScope(scope, company),
  );
  if (found.length < ns.length) return failed(NOT_FOUND);
  const open = found.filter(({ closedAt }) => closedAt === null);
  return ok(runs !== undefined && open.length > 0 ? open : found);
}

/**
 * TICKET-1: returns the company of the problems if they can get a ticket now, or why they cannot:
 * they have several companies or already a ticket, are closed, or the company cannot have tickets.
 */
export async function listUnlinked(
  tx: TenantTx,
  context: AppContext,
  ticketing: StoredTicketing,
  problems: readonly ProblemRow[],
): Promise<Result<{ readonly company: number; readonly name: string }>> {
  const [first] = problems;
  if (!first) return failed(NOT_FOUND);
  if (problems.some(({ company }) => company !== first.company))
    return failed(toFieldFailure('problems', MESSAGES.ticketOneCompany));
  const linked = problems.find((one) => one.linkedTicket);
  if (linked?.linkedTicket)
    return failed(
      conflict(
        linked.linkedTicket.open
          ? MESSAGES.ticketHasOne({ number: linked.ticket ?? '' })
          : MESSAGES.ticketHadOne({ number: linked.ticket ?? '' }),
      ),
    );
  if (problems.some(({ closedAt }) => closedAt !== null))
    return failed(conflict(MESSAGES.ticketProblemOver));
  const company: CompanyRow | undefined = (await tx.rows('company', [first.company])).get(
    first.company,
  );
  const name = company?.name ?? '';
  const blocked = await blockedFor(tx, context, ticketing, first.company, name);
  return blocked === null ? ok({ company: first.company, name }) : failed(conflict(blocked));
}

/** Call it under the lock of the head row. */
export async function nextNumber({ sql, tenant }: TenantTx): Promise<number> {
  const last = await sql
    .selectFrom('ticket')
    .select((e) => e.fn.max('number').as('n'))
    .where('tenant_id', '=', tenant)
    .executeTakeFirst();
  return (last?.n ?? 0) + 1;
}
