import type { Tables } from '#contract/tables.ts';
import type { Replica } from '../sync/replica.ts';

/** The tables of the cloud suite that a page shows as rows. */
type BackupTable = 'organization' | 'backupJob' | 'backupRepository' | 'backupProxy';

/** Returns the rows that still exist, by name; null until somebody is signed in. */
export function getBackupRows<T extends BackupTable>(
  place: { readonly replica: Pick<Replica, 'engine'> } | null,
  table: T,
): readonly Tables[T][] | null {
  if (place === null) return null;
  const rows: readonly Tables[BackupTable][] = place.replica.engine.all(table);
  return rows
    .filter(({ removedAt }) => removedAt === null)
    .toSorted(
      (a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1),
    ) as unknown as readonly Tables[T][];
}
