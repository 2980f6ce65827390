import { sql } from 'kysely';
import type { OutputOf } from '#contract/calls.ts';
import type { NewEvent } from '#contract/events.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { ComputerOut } from '#contract/daily-checks/operator-calls.ts';
import { jobCounter } from '#contract/runs/hosts.ts';
import type { JobHost } from '#contract/runs/hosts.ts';
import type { ComputerRow } from '#contract/runs/rows.ts';
import { isBackupType } from '#contract/runs/vocabulary.ts';
import type { JobType } from '#contract/runs/vocabulary.ts';
import { ok } from '#contract/result.ts';
import type { SessionContext, Handlers } from '#server/platform/http/handler.ts';
import { runIdempotently, refusal } from '#server/platform/http/idempotent-command.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { companyNames } from '#server/platform/queries/known-jobs.ts';
import { toIsoTime, isoOrNull } from '#server/platform/queries/run-details.ts';
import { toScope, isCompanyInScope } from '#server/platform/sync/scope.ts';
import type { SyncScope } from '#server/platform/sync/scope.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { badEnd } from '../daily-checks/job-handlers.ts';

type Done = OutputOf<'noteComputer'>;
const NOW_MS: Ms = 7 * 86_400_000;

/**
 * DESK-6: the computers that sources reported, and their settings. Devices request them and store
 * none.
 */
export function computerHandlers(
  context: AppContext,
): Pick<
  Handlers,
  'listComputers' | 'listComputersNow' | 'noteComputer' | 'ignoreComputer' | 'unignoreComputer'
> {
  const list = (ctx: SessionContext, from: Ms, to: Ms) =>
    context.store.tenant(
      ctx.tenant,
      async (tx) => ok(await loadComputers(tx, toScope(ctx.session), from, to, ctx.now)),
      { readOnly: true },
    );

  const change = (
    ctx: SessionContext,
    id: string,
    event: (before: ComputerRow) => NewEvent['event'] | null,
  ) =>
    runIdempotently<Done>(context, ctx, async (tx) => {
      const computer = (await tx.rows('computer', [id])).get(id);
      if (!computer || !isCompanyInScope(toScope(ctx.session), computer.company))
        return refusal({ kind: 'not-found', message: MESSAGES.notFound });
      const made = event(computer);
      return {
        drafts:
          made === null
            ? []
            : [{ event: made, company: computer.company, entity: `computer:${id}` }],
        answer: (seq) => ok({ seq }),
      };
    });

  return {
    listComputers: ({ from, to }, ctx) => list(ctx, from ?? 0, to ?? Number.MAX_SAFE_INTEGER),
    listComputersNow: (_input, ctx) => list(ctx, ctx.now - NOW_MS, Number.MAX_SAFE_INTEGER),
    noteComputer: ({ id, note }, ctx) =>
      change(ctx, id, ({ note: before }) =>
        note === '' && before === null
          ? null
          : { type: 'computer.noted@1', data: { id, content: note === '' ? null : note } },
      ),
    async ignoreComputer({ id, ignoredUntil }, ctx) {
      const bad = ignoredUntil === undefined ? null : badEnd(ignoredUntil, ctx.now);
      return bad
        ? { ok: false, failure: bad }
        : change(ctx, id, () => ({
            type: 'computer.ignored@1',
            data: { id, until: ignoredUntil ?? null },
          }));
    },
    unignoreComputer: ({ id }, ctx) =>
      change(ctx, id, ({ ignored }) =>
        ignored === null ? null : { type: 'computer.unignored@1', data: { id } },
      ),
  };
}

/** Sorted by host name. An expired ignore counts as not ignored. */
async function loadComputers(
  tx: TenantTx,
  scope: SyncScope,
  from: Ms,
  to: Ms,
  now: Ms,
): Promise<ComputerOut[]> {
  let query = tx.sql
    .selectFrom('computer')
    .select('row')
    .where('tenant_id', '=', tx.tenant)
    .where('seen_at', '>=', from);
  if (scope.companies !== null) query = query.where('company_n', 'in', [0, ...scope.companies]);
  else if (scope.deleted.size > 0) query = query.where('company_n', 'not in', [...scope.deleted]);
  const computers = (await query.execute())
    .map(({ row }) => row)
    .filter(({ firstSeenAt }) => firstSeenAt < to);
  const getJobs = jobCounter(
    await loadPlaces(tx, new Set(computers.map(({ company }) => company))),
  );
  const names = await companyNames(tx);
  return computers
    .map(
      ({
        id,
        company,
        hostName,
        os,
        osType,
        ipAddresses,
        firstSeenAt,
        seenAt,
        note,
        ignored: said,
      }) => {
        const ignored =
          said?.until !== undefined && said.until !== null && said.until <= now ? null : said;
        return {
          _id: id,
          company,
          companyName: names.get(company) ?? '',
          hostName,
          os,
          osType,
          ipAddresses: [...ipAddresses],
          firstSeenAt,
          seenAt,
          lastSeenAt: toIsoTime(seenAt),
          jobs: getJobs(company, hostName),
          note,
          ignored,
          ignoredUntil: isoOrNull(ignored?.until),
        };
      },
    )
    .toSorted((a, b) => a.hostName.localeCompare(b.hostName, 'en') || a.company - b.company);
}

/** Counts only jobs that make backups (DASH-8): a copy or a restore alone protects no computer. */
async function loadPlaces(
  tx: TenantTx,
  companies: ReadonlySet<CompanyN>,
): Promise<readonly JobHost[]> {
  const rows = await tx.sql
    .selectFrom('job')
    .select([
      sql<JobType>`row->>'type'`.as('type'),
      'company_n as company',
      sql<string>`row->>'computer'`.as('computer'),
      sql<string>`row->>'server'`.as('server'),
    ])
    .where('tenant_id', '=', tx.tenant)
    .where('company_n', 'in', [0, ...companies])
    .execute();
  return rows.filter(({ type }) => isBackupType(type));
}
