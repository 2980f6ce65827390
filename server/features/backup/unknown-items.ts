import { sql } from 'kysely';
import type {
  DirectoryKind,
  EngineResult,
  ListObjectsInput,
  ObjectKind,
} from '#contract/engine/engine.ts';
import type { OrganizationId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** An object of a tenant's directory, as jobs and roles name it. */
export interface DirectoryItem {
  readonly type: string;
  /** Null: the tenant as a whole. */
  readonly id: string | null;
}

/** A team and its group have one id. */
const KINDS: Readonly<Partial<Record<string, readonly DirectoryKind[]>>> = {
  User: ['user'],
  Group: ['group', 'team'],
  Team: ['team', 'group'],
  Site: ['site'],
};

/** Whose object of a backup it is. */
const OBJECT_KINDS: Readonly<Record<ObjectKind, DirectoryKind>> = {
  mailbox: 'user',
  archive: 'user',
  drive: 'user',
  site: 'site',
  team: 'team',
};

/** Returns the items that neither the stored directory nor the backups of an organization know. */
async function findUnknown(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
  items: readonly DirectoryItem[],
): Promise<ReadonlySet<DirectoryItem>> {
  const named = items.filter(({ type, id }) => id !== null && KINDS[type] !== undefined);
  const ids = [...new Set(named.flatMap(({ id }) => id ?? []))];
  if (ids.length === 0) return new Set();
  const listed = await db
    .selectFrom('directory_object')
    .select(['id', 'kind'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .execute();
  const backedUp = await db
    .selectFrom('backup_object')
    .select(['directory_id as id', 'kind'])
    .distinct()
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where(sql<boolean>`directory_id = any(${ids}::text[])`)
    .execute();
  const known = new Set([
    ...listed.map(({ id, kind }) => `${kind} ${id}`),
    ...backedUp.map(({ id, kind }) => `${OBJECT_KINDS[kind]} ${id}`),
  ]);
  return new Set(
    named.filter(
      ({ type, id }) => KINDS[type]?.some((kind) => known.has(`${kind} ${id}`)) !== true,
    ),
  );
}

/**
 * Reads the directory of an organization if it lacks an item: somebody may have been added since.
 * Returns the types of items that the stored directory is complete for; where the tenant doesn't
 * answer, nobody can tell.
 */
export async function readUnknownItems(
  { store }: Pick<AppContext, 'store'>,
  { tenant, organization }: { readonly tenant: TenantId; readonly organization: OrganizationId },
  items: readonly DirectoryItem[],
  list: (input: ListObjectsInput) => Promise<EngineResult<unknown>>,
): Promise<ReadonlySet<string>> {
  const unknown = await store.tenant(tenant, (tx) => findUnknown(tx, organization, items), {
    readOnly: true,
  });
  const types = new Set<string>();
  for (const type of new Set([...unknown].map((item) => item.type))) {
    const [kind] = KINDS[type] ?? [];
    if (kind === undefined) continue;
    const read = await list({ kind, text: null, parent: null, cursor: null, limit: 1 });
    if (read.ok) types.add(type);
  }
  return types;
}

/**
 * Returns the path of the first item that doesn't exist; null if there is none. `readTypes`: of
 * `readUnknownItems`. `before`: items that were accepted before, whatever became of them.
 */
export async function findUnknownItem<T extends string>(
  tx: TenantTx,
  organization: OrganizationId,
  lists: Readonly<Record<T, readonly DirectoryItem[]>>,
  readTypes: ReadonlySet<string>,
  before: readonly DirectoryItem[],
): Promise<string | null> {
  if (readTypes.size === 0) return null;
  const accepted = new Set(before.map(getItemKey));
  const all = Object.values<readonly DirectoryItem[]>(lists).flat();
  const unknown = await findUnknown(tx, organization, all);
  for (const [name, items] of Object.entries(lists) as [T, readonly DirectoryItem[]][]) {
    const at = items.findIndex(
      (item) => unknown.has(item) && readTypes.has(item.type) && !accepted.has(getItemKey(item)),
    );
    if (at !== -1) return `${name}.${at}.id`;
  }
  return null;
}

const getItemKey = ({ type, id }: DirectoryItem): string => `${type} ${id}`;
