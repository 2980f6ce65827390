import { sql } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { ItemChange } from '../types.ts';
import { isFileVersion } from './file-versions.ts';
import { FAILED } from './marks.ts';
import type { IndexedObject } from './objects.ts';

/** Returns the items whose content could not be read so far, as the source described them. */
export async function loadFailed(
  { sql: db, tenant }: TenantTx,
  { n }: Pick<IndexedObject, 'n'>,
): Promise<readonly ItemChange[]> {
  const rows = await db
    .selectFrom('listed_item as l')
    .innerJoin('item as i', (join) =>
      join
        .onRef('i.tenant_id', '=', 'l.tenant_id')
        .onRef('i.object_n', '=', 'l.object_n')
        .onRef('i.key', '=', 'l.key')
        .on('i.to_point', 'is', null),
    )
    .select([
      'i.key',
      'i.change_key',
      'i.folder_key',
      'i.kind',
      'i.title',
      'i.people',
      'i.at',
      'i.changed_at',
      'i.bytes',
      'i.flags',
    ])
    .where('l.tenant_id', '=', tenant)
    .where('l.object_n', '=', n)
    .where('l.scope', '=', FAILED)
    .where(sql<boolean>`not ${isFileVersion(sql`i`)}`)
    .execute();
  return rows.map(({ change_key, folder_key, changed_at, ...item }) => ({
    ...item,
    changeKey: change_key,
    folder: folder_key,
    changedAt: changed_at,
  }));
}
