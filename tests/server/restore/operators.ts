import type { DirectoryKind } from '#contract/engine/engine.ts';
import { getTenantIssuer } from '#server/platform/auth/operators.ts';
import type { Asker } from '../sync/fixtures.ts';
import type { Backups } from './fixtures.ts';

export interface DirectoryEntry {
  readonly kind: DirectoryKind;
  readonly id: string;
  /** Of a site: the one above it. */
  readonly parent?: string;
}

/** Stores objects of an organization's directory, and who is in its groups. */
export const storeDirectory = (
  { ground: { context }, office }: Backups,
  organization: string,
  entries: readonly DirectoryEntry[],
  groups: Readonly<Record<string, readonly string[]>>,
): Promise<void> =>
  context.store.tenant(office.tenant, async ({ sql, tenant }) => {
    await sql
      .insertInto('directory_object')
      .values(
        entries.map(({ kind, id, parent }) => ({
          tenant_id: tenant,
          organization_id: organization,
          kind,
          id,
          name: `Name of ${id}`,
          address: kind === 'user' ? `${id}@example.com` : '',
          parent_id: parent ?? null,
          deleted_at: null,
        })),
      )
      .execute();
    const members = Object.entries(groups).flatMap(([group, users]) =>
      users.map((user) => ({
        tenant_id: tenant,
        organization_id: organization,
        group_id: group,
        user_id: user,
      })),
    );
    if (members.length > 0) await sql.insertInto('directory_member').values(members).execute();
    const lists = Object.keys(groups).map((group) => ({
      tenant_id: tenant,
      organization_id: organization,
      group_id: group,
      listed_at: 1,
    }));
    if (lists.length > 0) await sql.insertInto('directory_member_list').values(lists).execute();
  });

/** A portal user without roles, who signed in with Microsoft as a person of the directory. */
export async function signInOperator(
  { ground: { context }, office }: Backups,
  organization: string,
  person: string,
): Promise<Asker> {
  const username = `operator-${person}-${organization.slice(0, 8)}`;
  const who = await office.as(username, [], [1]);
  await context.store.tenant(office.tenant, async (tx) => {
    const { directoryId } = (await tx.rows('organization', [organization])).get(organization) ?? {};
    const { id } = await tx.sql
      .selectFrom('person')
      .select('id')
      .where('tenant_id', '=', tx.tenant)
      .where('username', '=', username)
      .executeTakeFirstOrThrow();
    await tx.sql
      .insertInto('identity')
      .values({
        tenant_id: tx.tenant,
        issuer: getTenantIssuer(directoryId ?? ''),
        subject: person,
        user_id: id,
        made_at: 1,
      })
      .execute();
  });
  return who;
}
