import type { RepositoryOut } from '#contract/daily-checks/operator-calls.ts';
import { fullAt } from '#contract/repositories/capacity.ts';
import type { RepositoryRow } from '#contract/runs/rows.ts';
import { ok } from '#contract/result.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { companyNames } from '#server/platform/queries/known-jobs.ts';
import { toScope } from '#server/platform/sync/scope.ts';
import type { AppContext } from '#server/platform/app-context.ts';

export function repositoryHandlers(context: AppContext): Pick<Handlers, 'listRepositories'> {
  return {
    listRepositories: (_input, { tenant, session }) =>
      context.store.tenant(
        tenant,
        async (tx) => {
          const { companies, deleted } = toScope(session);
          let query = tx.sql.selectFrom('repository').select('row').where('tenant_id', '=', tenant);
          if (companies !== null) query = query.where('company_n', 'in', [0, ...companies]);
          else if (deleted.size > 0) query = query.where('company_n', 'not in', [...deleted]);
          const names = await companyNames(tx);
          return ok(
            (await query.orderBy('id').execute()).map(({ row }) =>
              toOutput(row, names.get(row.company) ?? ''),
            ),
          );
        },
        { readOnly: true },
      ),
  };
}

const toOutput = (row: RepositoryRow, companyName: string): RepositoryOut => ({
  _id: row.id,
  company: row.company,
  companyName,
  name: row.name,
  type: row.type,
  hostName: row.hostName,
  path: row.path,
  capacityBytes: row.capacityBytes,
  freeBytes: row.freeBytes,
  usedBytes: row.usedBytes,
  sampledAt: row.sampledAt,
  days: row.days.map(({ day, usedBytes, capacityBytes }) => ({ day, usedBytes, capacityBytes })),
  fullAt: fullAt(row),
});
