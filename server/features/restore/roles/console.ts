import { sql } from 'kysely';
import { ok } from '#contract/result.ts';
import { getOperatorScope } from '#server/engine/public/restore.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { loadOperators } from '#server/platform/auth/operators.ts';
import type { Handlers } from '#server/platform/http/handler.ts';

/** RES-52: for whom the user restores. */
export function operatorConsoleHandlers(context: AppContext): Pick<Handlers, 'getOperatorConsole'> {
  return {
    getOperatorConsole: (_, { tenant, session }) =>
      context.store.tenant(
        tenant,
        async (tx) => {
          const operators = await loadOperators(tx, session);
          const names = await tx.rows(
            'organization',
            operators.map(({ organization }) => organization),
          );
          const organizations = [];
          for (const operator of operators) {
            const { rows } = await sql<{
              reads: boolean | null;
              downloads: boolean | null;
              second: boolean | null;
            }>`
              select bool_or(reads) as reads, bool_or(downloads) as downloads, bool_or(not alone) as second from (${getOperatorScope(tenant, operator)}) as seen`.execute(
              tx.sql,
            );
            organizations.push({
              id: operator.organization,
              name: names.get(operator.organization)?.name ?? '',
              mayRead: rows[0]?.reads ?? false,
              mayDownload: rows[0]?.downloads ?? false,
              needsSecondPerson: rows[0]?.second ?? false,
            });
          }
          return ok({
            organizations,
            isAdministrator: hasAbility(session, 'o365.restorePortal'),
          });
        },
        { readOnly: true },
      ),
  };
}
