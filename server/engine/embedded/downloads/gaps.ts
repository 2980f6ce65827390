import { sql } from 'kysely';
import type { DownloadId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { cleanText } from '../index/text.ts';
import { ownedRecordset } from '../index/pages.ts';

/** An item that a download lacks. */
export interface DownloadGap {
  /** `missing`: it has no backed-up content. `failed`: it could not be read. */
  readonly outcome: 'missing' | 'failed';
  readonly n: number;
  /** Its folders and its name. */
  readonly path: string;
}

const MAX_PATH_CHARS = 1_000;

/** Names items that a download lacks. Naming one again changes nothing. */
export async function storeGaps(
  { sql: db, tenant }: TenantTx,
  id: DownloadId,
  gaps: readonly DownloadGap[],
): Promise<void> {
  if (gaps.length === 0) return;
  await sql`
    insert into download_gap (tenant_id, download_id, outcome, n, path)
    select h.tenant_id, ${id}, x.outcome, x.n, x.path from ${ownedRecordset(
      tenant,
      gaps.map(({ outcome, n, path }) => ({ outcome, n, path: cleanText(path, MAX_PATH_CHARS) })),
      sql`outcome text, n int, path text`,
    )} on conflict do nothing`.execute(db);
}

/** Returns a page of what a download lacks: first what could not be read, each in its order. */
export const listGaps = (
  { sql: db, tenant }: TenantTx,
  id: DownloadId,
  { after, limit }: { readonly after: DownloadGap | null; readonly limit: number },
): Promise<readonly DownloadGap[]> =>
  db
    .selectFrom('download_gap')
    .select(['outcome', 'n', 'path'])
    .where('tenant_id', '=', tenant)
    .where('download_id', '=', id)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(outcome, n) > (${after?.outcome}::text, ${after?.n}::int)`),
    )
    .orderBy('outcome')
    .orderBy('n')
    .limit(limit)
    .execute();

/** Forgets what could not be read from an item on, because it is read again. */
export async function forgetFailures(
  { sql: db, tenant }: TenantTx,
  id: DownloadId,
  fromItem: number,
): Promise<void> {
  await db
    .deleteFrom('download_gap')
    .where('tenant_id', '=', tenant)
    .where('download_id', '=', id)
    .where('outcome', '=', 'failed')
    .where('n', '>=', fromItem)
    .execute();
}

export async function deleteGaps({ sql: db, tenant }: TenantTx, id: DownloadId): Promise<void> {
  await db
    .deleteFrom('download_gap')
    .where('tenant_id', '=', tenant)
    .where('download_id', '=', id)
    .execute();
}
