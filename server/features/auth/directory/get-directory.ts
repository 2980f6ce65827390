import type { DirectorySettings } from '#contract/branding/settings.ts';
import type { InferOutput } from 'valibot';
import { readSecret } from '../../../platform/outbound/secret.ts';
import type { TenantTx } from '../../../platform/db/store.ts';
import type { AppContext } from '../../../platform/app-context.ts';
import { activeDirectory } from './active-directory.ts';
import type { UserDirectory } from './directory.ts';
import { readAccountStatuses } from './account-status.ts';
import type { StatusLookup } from './account-status.ts';
import { loadProviderSettings } from '../../../platform/tenancy/provider-settings.ts';

export type DirectoryAt = InferOutput<typeof DirectorySettings>;

/**
 * Returns the provider's directory; null if none is configured, or its service account has no
 * password. Call its methods after the transaction has ended: a directory can take seconds.
 */
export async function getDirectory(
  tx: TenantTx,
  context: AppContext,
): Promise<UserDirectory | null> {
  const set = await loadDirectorySettings(tx, context);
  return set && activeDirectory(context, set.at, set.password);
}

/** Returns the account lookup of that directory; null under the same conditions. */
export async function getAccountLookup(
  tx: TenantTx,
  context: AppContext,
): Promise<StatusLookup | null> {
  const set = await loadDirectorySettings(tx, context);
  return set && readAccountStatuses(context, set.at, set.password);
}

async function loadDirectorySettings(
  tx: TenantTx,
  context: AppContext,
): Promise<{ readonly at: DirectoryAt; readonly password: string } | null> {
  const { directory: at } = await loadProviderSettings(tx);
  const password = at ? await readSecret(tx, context, 'directory') : null;
  return at && password !== null ? { at, password } : null;
}
