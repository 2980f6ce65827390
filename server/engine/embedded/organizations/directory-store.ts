import { sql } from 'kysely';
import type { DirectoryList } from '#contract/engine/directory-list.ts';
import type { DirectoryKind, EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { GraphPorts } from '../graph/request.ts';
import { ownedRecordset } from '../index/pages.ts';
import { cleanText } from '../index/text.ts';
import { ok } from '../../result.ts';
import {
  directoryClient,
  type DirectoryPage,
  type ListedObject,
  readDirectory,
  withParents,
} from '../sources/directory.ts';
import type { SourceCall } from '../types.ts';
import type { OrganizationId } from '#contract/ids.ts';

/** The kinds of objects that are read with a list. */
const KINDS: Readonly<Record<DirectoryList, readonly DirectoryKind[]>> = {
  users: ['user'],
  groups: ['group', 'team'],
  sites: ['site'],
};

/** How far a list is read. `revision` changes with each page that is stored. */
interface ListState {
  readonly revision: number;
  readonly generation: number;
  readonly cursor: string | null;
  readonly isListing: boolean;
}

export type DirectoryScope = Pick<EngineScope, 'tenant' | 'organization'>;

interface ListScope {
  readonly organization: OrganizationId;
  readonly list: DirectoryList;
}

/**
 * Brings the stored list of an organization's directory up to date: reads what changed since the
 * last time, page by page. A page is stored with the place where the next one begins, so a process
 * that is killed loses nothing (ENG-55). Two processes that read the same list continue each other.
 */
export async function refreshDirectory(
  context: AppContext,
  ports: GraphPorts,
  { tenant, organization }: DirectoryScope,
  { list, call }: { readonly list: DirectoryList; readonly call: SourceCall },
): Promise<EngineResult<void>> {
  const scope = { organization, list };
  for (;;) {
    let state: ListState | null = await context.store.tenant(tenant, (tx) => loadState(tx, scope));
    const pages = readDirectory(directoryClient(ports, call), list, state.cursor ?? undefined);
    for await (const page of list === 'sites' ? joinPages(pages) : pages) {
      if (!page.ok) return page;
      const before: ListState = state;
      state = await context.store.tenant(tenant, (tx) =>
        storePage(tx, scope, before, page.value, context.clock.now()),
      );
      if (state === null) break;
    }
    // Sites have no changes to continue with: another process has just listed them all.
    if (state !== null || list === 'sites') return ok(undefined);
  }
}

/** Sites are only listed completely: their pages are stored at once. */
async function* joinPages(
  pages: AsyncIterable<EngineResult<DirectoryPage>>,
): AsyncGenerator<EngineResult<DirectoryPage>, void> {
  const objects: ListedObject[] = [];
  for await (const page of pages) {
    if (!page.ok) return yield page;
    objects.push(...page.value.objects);
  }
  yield ok({
    restart: true,
    objects: withParents(objects),
    removed: [],
    cursor: null,
    isComplete: true,
  });
}

async function loadState(
  { sql: db, tenant }: TenantTx,
  { organization, list }: ListScope,
): Promise<ListState> {
  await db
    .insertInto('directory_list')
    .values({
      tenant_id: tenant,
      organization_id: organization,
      list,
      cursor: null,
      listed_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return db
    .selectFrom('directory_list')
    .select(['revision', 'generation', 'cursor', 'listing as isListing'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('list', '=', list)
    .executeTakeFirstOrThrow();
}

/** Stores a page; null if another process has stored one since the state was read. */
async function storePage(
  tx: TenantTx,
  scope: ListScope,
  before: ListState,
  { restart, objects, removed, cursor, isComplete }: DirectoryPage,
  now: number,
): Promise<ListState | null> {
  const { organization, list } = scope;
  const isListing = before.isListing || restart;
  const state: ListState = {
    revision: before.revision + 1,
    generation: before.generation + (restart ? 1 : 0),
    cursor,
    isListing: isListing && !isComplete,
  };
  const stored = await tx.sql
    .updateTable('directory_list')
    .set({
      revision: state.revision,
      generation: state.generation,
      cursor,
      listing: state.isListing,
      ...(isComplete && { listed_at: now }),
    })
    .where('tenant_id', '=', tx.tenant)
    .where('organization_id', '=', organization)
    .where('list', '=', list)
    .where('revision', '=', before.revision)
    .returning('revision')
    .executeTakeFirst();
  if (stored === undefined) return null;
  for (let first = 0; first < objects.length; first += BATCH_ROWS)
    await storeObjects(tx, scope, objects.slice(first, first + BATCH_ROWS), state.generation);
  const leave = { ...scope, at: now };
  await removeObjects(tx, { ...leave, kinds: KINDS[list], ids: removed });
  if (list === 'groups') {
    const teams = new Set(objects.flatMap(({ kind, id }) => (kind === 'team' ? id : [])));
    const others = objects.flatMap(({ id }) => (teams.has(id) ? [] : id));
    await removeObjects(tx, { ...leave, kinds: ['team'], ids: others });
  }
  if (isListing && isComplete)
    await tx.sql
      .updateTable('directory_object')
      .set({ deleted_at: now })
      .where('tenant_id', '=', tx.tenant)
      .where('organization_id', '=', organization)
      .where('kind', 'in', [...KINDS[list]])
      .where('generation', '<', state.generation)
      .where('deleted_at', 'is', null)
      .execute();
  return state;
}
const BATCH_ROWS = 500;

async function storeObjects(
  { sql: db, tenant }: TenantTx,
  { organization }: ListScope,
  objects: readonly ListedObject[],
  generation: number,
): Promise<void> {
  const records = objects.map(({ kind, id, name, address, licensed = null, parent = null }) => ({
    kind,
    id,
    name: cleanText(name),
    address: cleanText(address),
    licensed,
    parent,
  }));
  await sql`
    insert into directory_object (tenant_id, organization_id, kind, id, name, address, licensed, parent_id, generation)
    select h.tenant_id, ${organization}, x.kind, x.id, x.name, x.address, x.licensed, x.parent, ${generation}
    from ${ownedRecordset(tenant, records, sql`kind text, id text, name text, address text, licensed boolean, parent text`)}
    on conflict (tenant_id, organization_id, kind, id) do update set
      name = excluded.name, address = excluded.address, parent_id = excluded.parent_id, generation = excluded.generation,
      licensed = coalesce(excluded.licensed, directory_object.licensed), deleted_at = null`.execute(
    db,
  );
}

async function removeObjects(
  { sql: db, tenant }: TenantTx,
  {
    organization,
    kinds,
    ids,
    at,
  }: {
    readonly organization: OrganizationId;
    readonly kinds: readonly DirectoryKind[];
    readonly ids: readonly string[];
    readonly at: number;
  },
): Promise<void> {
  for (let first = 0; first < ids.length; first += BATCH_ROWS)
    await db
      .updateTable('directory_object')
      .set({ deleted_at: at })
      .where('tenant_id', '=', tenant)
      .where('organization_id', '=', organization)
      .where('kind', 'in', [...kinds])
      .where('id', 'in', ids.slice(first, first + BATCH_ROWS))
      .where('deleted_at', 'is', null)
      .execute();
}
