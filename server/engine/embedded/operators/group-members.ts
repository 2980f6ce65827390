import { sql } from 'kysely';
import type { EngineResult, EngineScope, EngineId } from '#contract/engine/engine.ts';
import type { Ms, OrganizationId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { ok } from '../../result.ts';
import type { GraphConnections } from '../organizations/access.ts';
import { directoryClient, readMembers } from '../sources/directory.ts';

const READ_MS: Ms = 25_000;
const BATCH = 500;

/**
 * Reads who is in the groups that roles name, if that is older than `maxAgeMs`. What can't be read
 * keeps its former members. A group whose members the application may not see has none, and counts
 * as never read: roles that exclude it cover nothing.
 */
export async function refreshGroupMembers(
  context: AppContext,
  connections: GraphConnections,
  scope: Pick<EngineScope, 'tenant' | 'organization'>,
  { groups, maxAgeMs }: { readonly groups: readonly EngineId[]; readonly maxAgeMs: Ms },
): Promise<EngineResult<void>> {
  const { tenant, organization } = scope;
  const { store, clock } = context;
  const due = await store.tenant(
    tenant,
    (tx) => listDue(tx, organization, groups, clock.now() - maxAgeMs),
    { readOnly: true },
  );
  if (due.length === 0) return ok(undefined);
  const ports = await connections.open(tenant, organization);
  if (!ports.ok) return ports;
  const client = directoryClient(ports.value, {
    signal: AbortSignal.timeout(READ_MS),
    onWaiting: () => undefined,
  });
  let result: EngineResult<void> = ok(undefined);
  for (const group of due) {
    const members = await readMembers(client, group);
    if (!members.ok && members.error.kind === 'forbidden') {
      await store.tenant(tenant, (tx) => forgetMembers(tx, organization, group));
      result = members;
      continue;
    }
    // A group that was deleted has no members.
    if (!members.ok && members.error.kind !== 'missing') return members;
    await store.tenant(tenant, (tx) =>
      storeMembers(tx, organization, group, members.ok ? members.value : [], clock.now()),
    );
  }
  return result;
}

async function forgetMembers(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
  group: EngineId,
): Promise<void> {
  for (const table of ['directory_member', 'directory_member_list'] as const)
    await db
      .deleteFrom(table)
      .where('tenant_id', '=', tenant)
      .where('organization_id', '=', organization)
      .where('group_id', '=', group)
      .execute();
}

async function listDue(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
  groups: readonly EngineId[],
  since: Ms,
): Promise<readonly EngineId[]> {
  const known = await db
    .selectFrom('directory_member_list')
    .select('group_id')
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('listed_at', '>', since)
    .execute();
  const fresh = new Set(known.map(({ group_id }) => group_id));
  return [...new Set(groups)].filter((group) => !fresh.has(group));
}

async function storeMembers(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
  group: EngineId,
  members: readonly EngineId[],
  at: Ms,
): Promise<void> {
  await db
    .deleteFrom('directory_member')
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('group_id', '=', group)
    .execute();
  for (let first = 0; first < members.length; first += BATCH)
    await sql`
      insert into directory_member (tenant_id, organization_id, group_id, user_id)
      select h.tenant_id, ${organization}, ${group}, x.id from jsonb_array_elements_text(${JSON.stringify(
        members.slice(first, first + BATCH),
      )}::text::jsonb) as x(id) join head as h on h.tenant_id = ${tenant} on conflict do nothing`.execute(
      db,
    );
  await db
    .insertInto('directory_member_list')
    .values({ tenant_id: tenant, organization_id: organization, group_id: group, listed_at: at })
    .onConflict((on) =>
      on.columns(['tenant_id', 'organization_id', 'group_id']).doUpdateSet({ listed_at: at }),
    )
    .execute();
}
