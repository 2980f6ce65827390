import type { DirectorySettings } from '#contract/brand/settings.ts';
import type { InferOutput } from 'valibot';
import { secretOf } from '../outbound/secret.ts';
import type { TenantTx } from '../store/store.ts';
import type { World } from '../world.ts';
import { activeDirectory } from './active.ts';
import type { Directory } from './directory.ts';

export type DirectoryAt = InferOutput<typeof DirectorySettings>;

/**
 * The provider's directory as its settings name it; null where none is set, or its service account has no password. What it answers may be
 * asked after the transaction has ended, and should be: a directory can take seconds.
 */
export async function directoryOf(tx: TenantTx, world: World): Promise<Directory | null> {
  const { settings } = await tx.sql.selectFrom('provider').select('settings').where('tenant_id', '=', tx.tenant).executeTakeFirstOrThrow();
  if (!settings.directory) return null;
  const password = await secretOf(tx, world, 'directory');
  return password === null ? null : activeDirectory(world, settings.directory, password);
}
