import { sql } from 'kysely';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { PasswordInput } from '#contract/engine/repositories.ts';
import type { BackupRepositoryId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { done, failed } from '../../result.ts';
import { accessMessages as t } from '../organizations/messages.en.ts';
import { revealsPassword } from '../restic/keys.ts';
import { openRepository } from '../restic/repository.ts';
import {
  findStoredRepository,
  openStoredRepository,
  storePassword,
  type StoredRepository,
} from './repositories.ts';

/** Adds the new password, stores it, and then removes the old one: if not now, with the clean-up. */
export async function changePassword(
  context: AppContext,
  { tenant }: EngineScope,
  { repository: id, password, passwordHint }: PasswordInput,
): Promise<EngineResult<void>> {
  if (passwordHint !== null && revealsPassword(passwordHint, password))
    return failed('invalid', t.hintHasPassword, { field: 'passwordHint' });
  const before = await openStoredRepository(context, tenant, id);
  if (!before.ok) return before;
  const { keyId } = before.value;
  const added = await before.value.addPassword(password);
  await before.value.close();
  if (!added.ok) return added;
  await context.store.tenant(tenant, async (tx) => {
    await storePassword(tx, context, id, password);
    await noteSuperseded(tx, id, keyId);
  });
  const found = await findStoredRepository(context, tenant, id);
  return found.ok ? removeSupersededKeys(context, tenant, id, found.value) : found;
}

/** Removes the keys of former passwords, also those of a change that was interrupted. */
export async function removeSupersededKeys(
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
  { target, password }: Pick<StoredRepository, 'target' | 'password'>,
): Promise<EngineResult<void>> {
  const superseded = await context.store.tenant(
    tenant,
    (tx) => loadSupersededKeys(tx, repository),
    {
      readOnly: true,
    },
  );
  if (superseded.length === 0) return done;
  const { clock, chance } = context;
  const opened = await openRepository(target, { password, lock: 'shared', clock, chance });
  if (!opened.ok) return opened;
  try {
    for (const key of superseded) {
      const removed = await opened.value.removeKey(key);
      if (!removed.ok && removed.error.kind !== 'missing') return removed;
    }
  } finally {
    await opened.value.close();
  }
  await context.store.tenant(tenant, (tx) => forgetSuperseded(tx, repository, superseded));
  return done;
}

/** Returns the keys whose passwords were replaced, and whose files may still be there. */
export async function loadSupersededKeys(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<readonly string[]> {
  const row = await db
    .selectFrom('repository_access')
    .select('superseded_keys')
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .executeTakeFirst();
  return row?.superseded_keys ?? [];
}

const noteSuperseded = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  key: string,
): Promise<void> => {
  await sql`
    update repository_access set superseded_keys = superseded_keys || ${JSON.stringify([key])}::text::jsonb
    where tenant_id = ${tenant} and repository_id = ${repository}`.execute(db);
};

/** Keys that were added meanwhile stay in the list. */
const forgetSuperseded = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  keys: readonly string[],
): Promise<void> => {
  await sql`
    update repository_access set superseded_keys = superseded_keys - ${keys}::text[]
    where tenant_id = ${tenant} and repository_id = ${repository}`.execute(db);
};
