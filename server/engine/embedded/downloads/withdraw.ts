import { sql, type RawBuilder } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';
import { downloadMessages as t } from '../../shared/downloads.messages.en.ts';

/** The end of a download that was withdrawn, regardless of its age. */
export const WITHDRAWN_AT = 0;

/**
 * Ends all downloads with data of the objects, also those that are being made or sent. Of which an
 * earlier version noted no objects, all of the same repositories end.
 */
export async function withdrawDownloads(
  { sql: db, tenant }: TenantTx,
  objects: readonly number[],
): Promise<void> {
  const has = (table: string): RawBuilder<boolean> => sql`(
    ${sql.ref(`${table}.tenant_id`)} = ${tenant} and ${sql.ref(`${table}.repository_id`)} in (
      select repository_id from backup_object where tenant_id = ${tenant} and n = any(${objects}::bigint[]))
    and (${sql.ref(`${table}.objects`)} = '[]' or exists (
      select from jsonb_array_elements_text(${sql.ref(`${table}.objects`)}) as x where x::bigint = any(${objects}::bigint[]))))`;
  await sql`
    update prepared_download set expires_at = ${WITHDRAWN_AT}, unlisted = null where ${has('prepared_download')}`.execute(
    db,
  );
  await sql`
    update background_download set expires_at = ${WITHDRAWN_AT}, state = 'failed', message = ${t.withdrawn}
    where ${has('background_download')}`.execute(db);
}
