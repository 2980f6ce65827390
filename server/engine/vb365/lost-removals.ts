import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { RowId } from '#contract/fold.ts';
import type { BackupRepositoryId, CompanyN, Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { RepositoryRemoval, Vb365Detail } from '#server/platform/db/database-vb365.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { forgetRemoved } from './removed-repositories.ts';
import { SAVE_MS } from './repository-saves.ts';

// A removal of a repository whose answer was lost, or whose server of Daybook stopped meanwhile, ends
// when the Veeam server is read: the repository is gone, or the server never got the request.

/** Does for a removed repository what the request couldn't do any more. */
export type FinishRemoval = (
  tx: TenantTx,
  context: AppContext,
  removed: {
    readonly repository: BackupRepositoryId;
    readonly company: CompanyN;
    readonly name: string;
    readonly removal: RepositoryRemoval;
  },
) => Promise<void>;

/** Repositories by their ids on the server. */
type Known = ReadonlyMap<string, { readonly id: BackupRepositoryId; readonly detail: Vb365Detail }>;

/** Finishes the removals of repositories that the server doesn't have any more. */
export async function finishRemovals(
  tx: TenantTx,
  context: AppContext,
  {
    known,
    gone,
    rows,
  }: {
    readonly known: Known;
    readonly gone: readonly BackupRepositoryId[];
    readonly rows: ReadonlyMap<RowId, BackupRepositoryRow>;
  },
  finish: FinishRemoval,
): Promise<void> {
  for (const { id, detail } of known.values()) {
    const row = rows.get(id);
    if (detail.removing === undefined || row?.removedAt !== null || !gone.includes(id)) continue;
    const { company, name } = row;
    await finish(tx, context, { repository: id, company, name, removal: detail.removing });
  }
}

/** Returns what is stored of a repository that the server has: without a removal that failed. */
export async function endFailedRemoval(
  tx: TenantTx,
  id: BackupRepositoryId,
  detail: Vb365Detail,
  readAt: Ms,
): Promise<Vb365Detail> {
  const { removing, ...others } = detail;
  if (removing === undefined || removing.at > readAt - SAVE_MS) return detail;
  await forgetRemoved(tx, id);
  return others;
}
