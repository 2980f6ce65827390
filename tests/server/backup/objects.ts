import type { TenantTx } from '#server/platform/db/store.ts';
import type { Made } from './fixtures.ts';

/** A mailbox or drive with restore points at these moments. */
export async function addObject(
  { sql, tenant }: TenantTx,
  { organization, repository }: Made,
  object: {
    readonly n: number;
    readonly kind: 'mailbox' | 'drive' | 'site';
    readonly user: string;
    readonly bytes: number;
    /** In any order. */
    readonly points: readonly number[];
  },
): Promise<void> {
  const { n, kind, user, bytes, points } = object;
  await sql
    .insertInto('backup_object')
    .values({
      tenant_id: tenant,
      n,
      repository_id: repository,
      organization_id: organization,
      kind,
      directory_id: user,
      name: user,
      address: `${user}@example.com`,
      point: points.length,
      bytes,
      tree: null,
    })
    .execute();
  for (const [index, at] of points.toSorted((a, b) => a - b).entries())
    await sql
      .insertInto('object_point')
      .values({
        tenant_id: tenant,
        object_n: n,
        point: index + 1,
        point_id: pointId(index + 1),
        at,
        items: 1,
        bytes,
        tree: '',
      })
      .execute();
}
export const pointId = (n: number): string =>
  `00000000-0000-4000-c000-${String(n).padStart(12, '0')}`;
