import { sql } from 'kysely';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { PasswordInput } from '#contract/engine/repositories.ts';
import type { BackupRepositoryId, Ms, TenantId } from '#contract/ids.ts';
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

/**
 * A change that has not stored its password by then was killed. One that is slower stores nothing, so
 * that a stored password always opens the repository.
 */
const PENDING_MS: Ms = 60 * 60_000;

/**
 * Adds the new password, stores it, and then removes the old one: if not now, with the clean-up, which
 * also removes a new one that never was stored. Of two changes at the same time, one is refused.
 */
export async function changePassword(
  context: AppContext,
  { tenant }: EngineScope,
  { repository: id, password, passwordHint }: PasswordInput,
): Promise<EngineResult<void>> {
  if (passwordHint !== null && revealsPassword(passwordHint, password))
    return failed('invalid', t.hintHasPassword, { field: 'passwordHint' });
  const { store, clock } = context;
  const stored = await store.tenant(tenant, (tx) => loadSealed(tx, id));
  const before = await openStoredRepository(context, tenant, id);
  if (!before.ok) return before;
  const { keyId } = before.value;
  const added = await before.value.addPassword(password, (key) =>
    store.tenant(tenant, (tx) => notePending(tx, id, { id: key, at: clock.now() })),
  );
  await before.value.close();
  if (!added.ok) return added;
  const isStored = await store.tenant(tenant, async (tx) => {
    const isPending = await endPending(tx, id, added.value);
    const isOurs = isPending && (await loadSealed(tx, id)) === stored;
    if (isOurs) await storePassword(tx, context, id, password);
    if (isPending) await noteSuperseded(tx, id, isOurs ? keyId : added.value);
    return isOurs;
  });
  const found = await findStoredRepository(context, tenant, id);
  if (!found.ok) return found;
  const removed = await removeSupersededKeys(context, tenant, id, found.value);
  return isStored ? removed : failed('conflict', t.passwordChanged);
}

/** Removes the keys of former passwords, and of changes that were interrupted. */
export async function removeSupersededKeys(
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
  { target, password }: Pick<StoredRepository, 'target' | 'password'>,
): Promise<EngineResult<void>> {
  const { clock, chance } = context;
  const superseded = await context.store.tenant(tenant, async (tx) => {
    const keys = await loadSupersededKeys(tx, repository, clock.now());
    // Their changes may still run, and store nothing from now on.
    for (const key of keys)
      if (await endPending(tx, repository, key)) await noteSuperseded(tx, repository, key);
    return keys;
  });
  if (superseded.length === 0) return done;
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

/** Returns the keys whose passwords were replaced, or never were stored, and whose files may be there. */
export async function loadSupersededKeys(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  now: Ms,
): Promise<readonly string[]> {
  const row = await db
    .selectFrom('repository_access')
    .select(['superseded_keys', 'pending_keys'])
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .executeTakeFirst();
  if (row === undefined) return [];
  const expired = row.pending_keys.filter(({ at }) => at <= now - PENDING_MS);
  return [...row.superseded_keys, ...expired.map(({ id }) => id)];
}

/** The stored password, sealed. Locks its row, so that no other change is stored meanwhile. */
async function loadSealed(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<string | null> {
  const row = await db
    .selectFrom('repository_access')
    .select('sealed')
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .forUpdate()
    .executeTakeFirst();
  return row?.sealed ?? null;
}

const notePending = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  key: { readonly id: string; readonly at: Ms },
): Promise<void> => {
  await sql`
    update repository_access set pending_keys = pending_keys || ${JSON.stringify([key])}::text::jsonb
    where tenant_id = ${tenant} and repository_id = ${repository}`.execute(db);
};

/** Returns whether the key was pending until now. */
async function endPending(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  key: string,
): Promise<boolean> {
  const { rows } = await sql`
    update repository_access set pending_keys = jsonb_path_query_array(pending_keys, '$[*] ? (@.id != $id)', jsonb_build_object('id', ${key}::text))
    where tenant_id = ${tenant} and repository_id = ${repository} and pending_keys @> ${JSON.stringify([{ id: key }])}::text::jsonb
    returning repository_id`.execute(db);
  return rows.length > 0;
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
