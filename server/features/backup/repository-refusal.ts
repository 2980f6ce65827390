import { isSameName } from '#contract/backup/same-name.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { isRowVisible } from './lookup.ts';
import { backupMessages as t } from './messages.en.ts';

/** Returns why a company can't have a repository of this name; null if it can. `own`: that has it now. */
export async function loadRefusal(
  tx: TenantTx,
  session: Principal,
  company: number,
  name: string,
  own: string | null,
): Promise<Extract<Failure, { readonly kind: 'conflict' }> | null> {
  const others = (await tx.all('backupRepository')).filter(
    (row) => row.id !== own && isRowVisible(session, row),
  );
  if (others.some((row) => row.company === company && isSameName(row.name, name)))
    return { kind: 'conflict', message: t.nameTaken };
  return own === null && others.length >= LIMITS.backupRepositories
    ? { kind: 'conflict', message: t.repositoriesFull({ max: LIMITS.backupRepositories }) }
    : null;
}
