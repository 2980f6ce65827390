import type { CompanyRow } from '#contract/users/rows.ts';
import type { TenantTx } from '../db/store.ts';

/** Returns how names are compared: case, spaces and the way that accents are encoded don't matter. */
export const getNameKey = (name: string): string =>
  name.normalize('NFKC').trim().replaceAll(/\s+/gu, ' ').toLowerCase();

/** Returns whether another company has a name. */
export async function isCompanyNameTaken(
  tx: TenantTx,
  name: string,
  except: Pick<CompanyRow, 'n'> | null,
): Promise<boolean> {
  const key = getNameKey(name);
  return (await tx.all('company')).some(
    (row) => row.n !== except?.n && row.deletedAt === undefined && getNameKey(row.name) === key,
  );
}
