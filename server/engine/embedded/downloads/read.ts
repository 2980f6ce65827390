import { sql, type RawBuilder } from 'kysely';
import type { DownloadRange } from '#contract/engine/downloads.ts';
import type { Content, EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { Bytes, DownloadId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Store, TenantTx } from '#server/platform/db/store.ts';
import { getOperator } from '../../shared/role-scope.ts';
import { getOperatorScope } from '../../shared/role-scope.ts';
import type { RepositoryReaders } from '../repositories/readers.ts';
import { failed, ok } from '../../result.ts';
import { partedZip, type ReadParts } from '../zip/ranged-zip.ts';
import { decodeEntries, type DownloadEntry } from './entries.ts';
import { downloadMessages as t } from '../../shared/downloads.messages.en.ts';
import { WITHDRAWN_AT } from './withdraw.ts';

/** Reads a range of a prepared download. `tx`: the transaction that records it. */
export async function readDownload(
  { store, clock }: AppContext,
  readers: RepositoryReaders,
  tx: TenantTx,
  scope: EngineScope,
  { download, from, to }: DownloadRange,
): Promise<EngineResult<Content>> {
  const { tenant } = tx;
  const { organization, user } = scope;
  const row = await tx.sql
    .selectFrom('prepared_download')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', download)
    .where('organization_id', '=', organization)
    .where('user_id', '=', user)
    .where('complete', '=', true)
    .where('expires_at', '>', clock.now())
    .where(isDownloadAllowed('prepared_download', tenant, scope))
    .executeTakeFirst();
  if (row === undefined)
    return failed('missing', (await isWithdrawn(tx, scope, download)) ? t.withdrawn : t.noDownload);
  const parts = partReader(store, tenant, download);
  const readEntry = (entry: DownloadEntry, first: Bytes, last: Bytes) =>
    readers.read(tenant, row.repository_id, entry, { from: first, to: last });
  const stream =
    row.file_name === null
      ? partedZip(
          {
            count: row.count,
            directoryAt: row.directory_at,
            directoryBytes: row.directory_bytes,
          },
          parts,
          readEntry,
        ).read(from, to)
      : readSingle(parts, readEntry, from, to);
  return ok({ bytes: row.bytes, stream });
}

/** Whether somebody excluded a person of the caller's own download from backups. */
async function isWithdrawn(
  { sql: db, tenant }: TenantTx,
  { organization, user }: EngineScope,
  download: DownloadId,
): Promise<boolean> {
  const row = await db
    .selectFrom('prepared_download')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('id', '=', download)
    .where('organization_id', '=', organization)
    .where('user_id', '=', user)
    .where('expires_at', '=', WITHDRAWN_AT)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the caller may still read a download that has begun. */
export async function mayReadDownload(
  { sql: db, tenant }: TenantTx,
  scope: EngineScope,
  { table, id }: { readonly table: DownloadTable; readonly id: DownloadId },
): Promise<boolean> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .where(isDownloadAllowed(table, tenant, scope))
    .executeTakeFirst();
  return row !== undefined;
}
type DownloadTable = 'prepared_download' | 'background_download';

/** An operator may still download all that a download holds. Nobody reads one of another capacity. */
export const isDownloadAllowed = (
  table: DownloadTable,
  tenant: TenantId,
  scope: EngineScope,
): RawBuilder<boolean> => {
  const operator = getOperator(scope);
  const by = sql.ref(`${table}.operator_id`);
  const objects = sql.ref(`${table}.objects`);
  const isThere = sql`${sql.ref(`${table}.expires_at`)} > ${WITHDRAWN_AT}`;
  return operator === null
    ? sql`(${by} is null and ${isThere})`
    : sql`(${by} = ${operator.object} and ${isThere} and not exists (
        select from jsonb_array_elements_text(${objects}) as x
        where x::bigint not in (select n from (${getOperatorScope(tenant, operator)}) as seen where seen.downloads)))`;
};

async function* readSingle(
  parts: ReadParts<DownloadEntry>,
  readEntry: (entry: DownloadEntry, from: Bytes, to: Bytes) => AsyncIterable<Uint8Array>,
  from: Bytes,
  to: Bytes,
): AsyncIterable<Uint8Array> {
  for await (const { entries } of parts({ byte: 0 }))
    for (const entry of entries) yield* readEntry(entry, from, to);
}

/** Reads the stored parts one by one. */
export function partReader(
  store: Store,
  tenant: TenantId,
  download: DownloadId,
): ReadParts<DownloadEntry> {
  const readPart = (where: RawBuilder<unknown>): Promise<PartRow | undefined> =>
    store.tenant(
      tenant,
      async ({ sql: db }) => {
        const { rows } = await sql<PartRow>`
          select n, first_byte as "firstByte", first_record as "firstRecord", entries from prepared_part
          where tenant_id = ${tenant} and download_id = ${download} and ${where}
          order by n desc limit 1`.execute(db);
        return rows[0];
      },
      { readOnly: true },
    );
  return async function* read(from) {
    let part = await readPart(
      'byte' in from ? sql`first_byte <= ${from.byte}` : sql`first_record <= ${from.record}`,
    );
    while (part !== undefined) {
      const { n, firstByte, firstRecord, entries } = part;
      yield { entries: decodeEntries(entries), firstByte, firstRecord };
      part = await readPart(sql`n = ${n + 1}`);
    }
  };
}

interface PartRow {
  readonly n: number;
  readonly firstByte: Bytes;
  readonly firstRecord: Bytes;
  readonly entries: string;
}
