import { randomUUID } from 'node:crypto';
import type { ItemKind, ObjectKind } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { TenantId } from '#contract/ids.ts';
import type { Store } from '#server/platform/db/store.ts';

/** What a mailbox holds at one moment: the slow, obvious copy. */
export interface Copy {
  readonly folders: readonly {
    readonly key: string;
    readonly parent: string | null;
    readonly name: string;
    readonly wellKnown?: string;
  }[];
  readonly items: readonly {
    readonly key: string;
    readonly folder: string;
    readonly title: string;
    readonly at: number;
    readonly bytes: number;
    readonly kind?: ItemKind;
    readonly parts?: readonly StoredPart[];
  }[];
}

export interface StoredHistory {
  readonly organization: string;
  readonly repository: string;
  readonly job: string;
  readonly object: number;
  /** Ids of the points, from the oldest. */
  readonly points: readonly string[];
}

export const POINT_AT = (index: number): number => 1_790_000_000_000 + index * 3_600_000;

/** Stores whole copies as an index with ranges, by comparing each copy with the one before it. */
export async function storeHistory(
  store: Store,
  tenant: TenantId,
  copies: readonly Copy[],
  object = 1,
  ids: Partial<Pick<StoredHistory, 'organization' | 'repository' | 'job'>> & {
    readonly name?: string;
    readonly kind?: ObjectKind;
  } = {},
): Promise<StoredHistory> {
  const organization = ids.organization ?? randomUUID();
  const repository = ids.repository ?? randomUUID();
  const job = ids.job ?? randomUUID();
  const points = copies.map(() => randomUUID());
  const folders = ranges(copies.map(({ folders: all }) => all));
  const items = ranges(copies.map(({ items: all }) => all));
  const last = copies.at(-1);
  await store.tenant(tenant, async ({ sql }) => {
    await sql
      .insertInto('backup_object')
      .values({
        tenant_id: tenant,
        n: object,
        repository_id: repository,
        organization_id: organization,
        kind: ids.kind ?? 'mailbox',
        directory_id: `user-${object}`,
        name: ids.name ?? `Person ${object}`,
        address: `person${object}@example.com`,
        point: copies.length,
        next_folder: folders.length + 1,
        next_item: items.length + 1,
        items: last?.items.length ?? 0,
        tree: null,
      })
      .execute();
    for (const [index, id] of points.entries()) {
      await sql
        .insertInto('restore_point')
        .values({
          tenant_id: tenant,
          id,
          organization_id: organization,
          repository_id: repository,
          job_id: job,
          session_id: randomUUID(),
          at: POINT_AT(index),
          snapshot: null,
          complete: true,
          result: 'success',
        })
        .execute();
      await sql
        .insertInto('object_point')
        .values({
          tenant_id: tenant,
          object_n: object,
          point: index + 1,
          point_id: id,
          at: POINT_AT(index),
          items: copies[index]?.items.length ?? 0,
          bytes: (copies[index]?.items ?? []).reduce((sum, { bytes }) => sum + bytes, 0),
          tree: '',
        })
        .execute();
    }
    for (const [n, { value, from, to }] of folders.entries())
      await sql
        .insertInto('folder')
        .values({
          tenant_id: tenant,
          object_n: object,
          n: n + 1,
          key: value.key,
          parent_key: value.parent,
          name: value.name,
          well_known: value.wellKnown ?? null,
          from_point: from,
          to_point: to,
        })
        .execute();
    for (const [n, { value, from, to }] of items.entries())
      await sql
        .insertInto('item')
        .values({
          tenant_id: tenant,
          object_n: object,
          n: n + 1,
          folder_key: value.folder,
          key: value.key,
          change_key: JSON.stringify(value),
          from_point: from,
          to_point: to,
          kind: value.kind ?? 'mail',
          at: value.at,
          changed_at: value.at,
          bytes: value.bytes,
          title: value.title,
          people: 'Ann <ann@example.com>',
          parts: JSON.stringify(value.parts ?? []),
        })
        .execute();
  });
  return { organization, repository, job, object, points };
}

interface Range<T> {
  readonly value: T;
  readonly from: number;
  readonly to: number | null;
}

function ranges<T extends { readonly key: string }>(copies: readonly (readonly T[])[]): Range<T>[] {
  const ended: Range<T>[] = [];
  let open = new Map<string, { readonly value: T; readonly from: number }>();
  for (const [index, copy] of copies.entries()) {
    const next = new Map<string, { readonly value: T; readonly from: number }>();
    for (const value of copy) {
      const before = open.get(value.key);
      const isSame = before && JSON.stringify(before.value) === JSON.stringify(value);
      next.set(value.key, isSame ? before : { value, from: index + 1 });
    }
    for (const [key, before] of open)
      if (next.get(key) !== before) ended.push({ ...before, to: index });
    open = next;
  }
  return [...ended, ...[...open.values()].map((one) => ({ ...one, to: null }))];
}
