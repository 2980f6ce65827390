import type { Selectable } from 'kysely';
import type { OutputOf } from '#contract/calls.ts';
import type { DownloadInput } from '#contract/engine/downloads.ts';
import type { Workload } from '#contract/engine/engine.ts';
import type { PartFormat } from '#server/engine/public/downloads.ts';
import type { EngineTables } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { DownloadId } from '#contract/ids.ts';

export type DownloadRow = Selectable<EngineTables['background_download']>;
export type PartRow = Selectable<EngineTables['background_part']>;
export type DownloadOut = OutputOf<'getBackgroundDownload'>;
export type State = DownloadOut['state'];
export type Format = DownloadOut['format'];

/** The number of the file that names what a download lacks: after all others. */
export const GAP_PART = 999_999;

export const RUNNING: readonly State[] = ['queued', 'running'];
export const isDownloadRunning = ({ state }: DownloadRow): boolean =>
  RUNNING.some((running) => running === state);

/** Whether only items of mailboxes have the format. */
export const isForMailboxes = (format: string): format is 'pst' | 'mbox' | 'msg' =>
  format === 'pst' || format === 'mbox' || format === 'msg';

/** What a download in this format has. */
export const chooseHolds = (format: Format): NonNullable<DownloadInput['holds']> =>
  format === 'pst' ? 'mailbox-items' : format === 'zip' ? 'everything' : 'mails';

/** What is written for a format. `eml`, and a single file: as it is. */
export const getPartFormat = ({ format, file_name: single }: DownloadRow): PartFormat => {
  if (format === 'msg') return single === null ? 'msg-zip' : 'msg';
  if (single !== null) return 'file';
  return isForMailboxes(format) ? format : 'zip';
};

export const findDownload = async (
  { sql, tenant }: TenantTx,
  id: DownloadId,
): Promise<DownloadRow | null> =>
  (await sql
    .selectFrom('background_download')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst()) ?? null;

export const listParts = (
  { sql, tenant }: TenantTx,
  ids: readonly DownloadId[],
): Promise<readonly PartRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : sql
        .selectFrom('background_part')
        .selectAll()
        .where('tenant_id', '=', tenant)
        .where('download_id', 'in', ids)
        .orderBy('n')
        .execute();

export async function deleteParts({ sql, tenant }: TenantTx, id: DownloadId): Promise<void> {
  await sql
    .deleteFrom('background_part')
    .where('tenant_id', '=', tenant)
    .where('download_id', '=', id)
    .execute();
}

/** Files are there to be downloaded only when all of them are. */
export function toOut(
  row: DownloadRow,
  parts: readonly PartRow[],
  gaps: DownloadOut['gaps'] = [],
): DownloadOut {
  const state = row.state as State;
  return {
    _id: row.id,
    id: row.id,
    name: row.name,
    organizationId: row.organization_id,
    workload: row.workload as DownloadOut['workload'] & Workload,
    format: row.format as Format,
    state,
    status: state,
    message: row.message,
    items: { done: row.items_done, total: row.items },
    bytes: { done: row.bytes_done, total: row.bytes },
    isListed: row.listed,
    isExact: row.listed && isExact(row),
    onServer: row.server_request !== null,
    missing: row.missing,
    failed: row.failed,
    gaps,
    parts:
      state === 'ready'
        ? parts
            .filter((part) => part.download_id === row.id)
            .map(({ n, name, bytes, sha256 }) => ({ n, name, bytes, sha256 }))
        : [],
    createdAt: row.created_at,
    endedAt: row.ended_at,
    expiresAt: row.expires_at,
  };
}

/** A server names the size of single files only. */
function isExact(row: DownloadRow): boolean {
  const format = getPartFormat(row);
  if (row.server_request !== null) return format === 'file' && row.format === 'zip';
  return format === 'zip' || format === 'file';
}
