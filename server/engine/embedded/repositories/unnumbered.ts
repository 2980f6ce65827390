import { sql } from 'kysely';
import type { PointId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

// ENG-4: two Daybooks that extended one repository gave the same numbers to different points and versions.
// An object of a point that newer ones contradict isn't in the index, but only in the snapshot of the
// point. Clean-ups rewrite it there, until the object itself is removed from the point.

/** A condition on `p`, a restore point: only its snapshot has one of the objects. */
export const hasUnnumbered = (objects: readonly number[]) =>
  sql<boolean>`p.unnumbered ?| ${objects.map(String)}::text[]`;

/** A condition on `p`: only its snapshot has an object other than these. */
export const hasUnnumberedBeside = (objects: readonly number[]) =>
  sql<boolean>`exists (
    select from jsonb_array_elements_text(p.unnumbered) as u (n) where u.n::bigint <> all(${objects}::bigint[]))`;

/** Returns the numbers of objects that only the snapshot of a point has, by their kind and id. */
export async function loadUnnumbered(
  { sql: db, tenant }: TenantTx,
  point: PointId,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ readonly key: string; readonly n: number }>`
    select o.kind || ' ' || o.directory_id as key, o.n from restore_point as p
    join backup_object as o on o.tenant_id = p.tenant_id and o.repository_id = p.repository_id and p.unnumbered ? o.n::text
    where p.tenant_id = ${tenant} and p.id = ${point}`.execute(db);
  return new Map(rows.map(({ key, n }) => [key, n]));
}

/** Lets the next rewriting remove the objects from snapshots of all points, or of these. */
export async function removeUnnumbered(
  { sql: db, tenant }: TenantTx,
  objects: readonly number[],
  points: readonly PointId[] | null = null,
): Promise<void> {
  const within = points === null ? sql`true` : sql`p.id = any(${points}::uuid[])`;
  await sql`
    update restore_point as p set unnumbered = p.unnumbered - ${objects.map(String)}::text[]
    where p.tenant_id = ${tenant} and ${within} and ${hasUnnumbered(objects)}`.execute(db);
}
