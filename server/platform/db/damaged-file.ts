import type { TenantId } from '#contract/ids.ts';
import { configMessages as t } from '../config.messages.en.ts';

/**
 * Returns the database's message about one of its files that it can't read; null for any other
 * error. Class XX of PostgreSQL's errors: a page or an index is damaged; class 58: a file is
 * missing or the disk fails.
 */
export function getDamagedFile(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(XX|58)...$/.test(code)) return error.message;
  return error.cause === undefined ? null : getDamagedFile(error.cause);
}

export const getDamagedTable = (tenant: TenantId | null, table: string, reason: string): Error =>
  new DamagedTable(
    tenant === null
      ? t.tableDamaged({ table, reason })
      : t.tableOfProviderDamaged({ table, provider: tenant, reason }),
  );

/** A table that a command needs can't be read. The message is for the operator. */
export class DamagedTable extends Error {
  override readonly name = 'DamagedTable';
}
