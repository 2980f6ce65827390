import { sql } from 'kysely';
import type { ItemKind } from '#contract/engine/engine.ts';
import type { ItemFlags, StoredPart } from '#contract/engine/stored-item.ts';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { ObjectState } from '../explorer/children.ts';
import { getFileAt } from '../index/file-versions.ts';
import { mergeVersions } from '../index/merge-versions.ts';

/** A version of an item that was chosen. */
export interface ChosenVersion {
  readonly n: number;
  /** The item that it is a version of. */
  readonly key: string;
  readonly kind: ItemKind;
  readonly folder: string;
  /** The version that the object has at the point, and its folder; null: none. */
  readonly present: { readonly n: number; readonly folder: string } | null;
  /** It is the version that the object had at the point. */
  readonly isAtPoint: boolean;
  readonly fromPoint: number;
  readonly changedAt: Ms;
  readonly flags: ItemFlags;
  readonly parts: readonly StoredPart[];
}

/** The version that was chosen: part of the point, or of one before it. */
export async function loadChosenVersion(
  { sql: db, tenant }: TenantTx,
  { n: object, point }: ObjectState,
  n: number,
): Promise<ChosenVersion | null> {
  const { rows } = await sql<Omit<ChosenVersion, 'present'>>`
    select i.n, coalesce(file.key, i.key) as key, i.kind, coalesce(file.folder_key, i.folder_key) as folder,
      file.folder_key is null and (i.to_point is null or i.to_point >= ${point}) as "isAtPoint",
      i.from_point as "fromPoint", i.changed_at as "changedAt", i.flags, i.parts
    from item as i left join lateral (${getFileAt(tenant, point)}) as file on true
    where i.tenant_id = ${tenant} and i.object_n = ${object} and i.n = ${n} and i.from_point <= ${point}`.execute(
    db,
  );
  const [version] = rows;
  if (version === undefined) return null;
  if (version.isAtPoint) return { ...version, present: version };
  const present = await sql<NonNullable<ChosenVersion['present']>>`
    select n, folder_key as folder from item
    where tenant_id = ${tenant} and object_n = ${object} and key = ${version.key} and from_point <= ${point} and (to_point is null or to_point >= ${point})`.execute(
    db,
  );
  return { ...version, present: present.rows[0] ?? null };
}

/** Returns versions of one item, the newest first, as a person sees them; what is shown once comes last. */
export function sortVersions<T extends ChosenVersion>(versions: readonly T[]): readonly T[] {
  const byPoint = versions.toSorted((a, b) => a.fromPoint - b.fromPoint || a.n - b.n);
  const shown = mergeVersions(byPoint).toReversed();
  return [...shown, ...byPoint.filter((version) => !shown.includes(version))];
}
