import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Node, ObjectKind } from '#contract/engine/engine.ts';
import type { NamedNode } from '#contract/engine/search.ts';
import type { Ms, NodeId, OrganizationId } from '#contract/ids.ts';
import type { Vb365Tables } from '#server/platform/db/database-vb365.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/**
 * A node that a session has shown: its keys on the server, which are too long and too free for
 * addresses, by an id of the portal. It grants nothing: the server says whether a session has it.
 */
export type KnownNode = Pick<
  Selectable<Vb365Tables['vb365_node']>,
  'id' | 'object_id' | 'kind' | 'object_key' | 'item_key' | 'name' | 'people' | 'bytes' | 'at'
>;

/** A node with its keys on the server. */
export interface ShownNode {
  readonly node: Node;
  readonly object: string;
  /** Empty of the mailbox or drive itself. */
  readonly item: string;
  /** What it belongs to, if its kind doesn't tell. */
  readonly of?: 'site' | 'team';
}

/** The same for the same thing in every session, so that an address opens it at another point. */
export const makeNodeId = (type: string, object: string, item: string): NodeId =>
  `v${createHash('sha256')
    .update(JSON.stringify([type, object, item]))
    .digest('base64url')
    .slice(0, 27)}` as NodeId;

/** Nodes are forgotten when no session has shown them for this long. */
const KEEP_MS: Ms = 7 * 24 * 60 * 60_000;

export async function storeNodes(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
  nodes: readonly ShownNode[],
  now: Ms,
): Promise<void> {
  // A list that changed while it was read may name one twice, which one statement can't store.
  const rows = new Map(
    nodes.map(({ node, object, item, of }) => [
      node.id,
      {
        tenant_id: tenant,
        organization_id: organization,
        id: node.id,
        object_id: item === '' ? node.id : objectIdFor(node.kind, object, of),
        kind: node.kind,
        object_key: object,
        item_key: item,
        name: node.name,
        people: getPeople(node),
        bytes: node.sizeBytes,
        at: node.at,
        read_at: now,
      },
    ]),
  );
  const all = [...rows.values()];
  for (let from = 0; from < all.length; from += BATCH_ROWS)
    await db
      .insertInto('vb365_node')
      .values(all.slice(from, from + BATCH_ROWS))
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'organization_id', 'id']).doUpdateSet((row) => ({
          name: row.ref('excluded.name'),
          people: row.ref('excluded.people'),
          bytes: row.ref('excluded.bytes'),
          at: row.ref('excluded.at'),
          read_at: row.ref('excluded.read_at'),
        })),
      )
      .execute();
}
const BATCH_ROWS = 500;

const MAILBOX_KINDS: readonly Node['kind'][] = [
  'folder',
  'mail',
  'event',
  'contact',
  'task',
  'note',
];
const objectIdFor = (kind: Node['kind'], object: string, of: ShownNode['of']): NodeId =>
  makeNodeId(of ?? (MAILBOX_KINDS.includes(kind) ? 'mailbox' : 'drive'), object, '');

function getPeople(node: Node): string {
  if ('people' in node) return node.people;
  return 'author' in node ? node.author : '';
}

/** Returns the nodes with these ids, in their order. Those that no session has shown are left out. */
export async function loadNodes(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
  ids: readonly NodeId[],
): Promise<readonly KnownNode[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('vb365_node')
    .select(['id', 'object_id', 'kind', 'object_key', 'item_key', 'name', 'people', 'bytes', 'at'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('id', 'in', [...new Set(ids)])
    .execute();
  const known = new Map(rows.map((row) => [row.id, row]));
  return [...new Set(ids)].flatMap((id) => known.get(id) ?? []);
}

/** Names nodes with the mailbox or drive that they belong to. */
export async function nameNodes(
  tx: TenantTx,
  organization: OrganizationId,
  ids: readonly NodeId[],
): Promise<readonly NamedNode[]> {
  const nodes = await loadNodes(tx, organization, ids);
  const objects = new Map(
    (
      await loadNodes(
        tx,
        organization,
        nodes.map(({ object_id: id }) => id),
      )
    ).map((row) => [row.id, row]),
  );
  return nodes.flatMap(({ id, object_id, kind, name, people, bytes, at }) => {
    const object = objects.get(object_id);
    return object === undefined
      ? []
      : [
          {
            id,
            kind,
            name,
            people,
            sizeBytes: bytes,
            at,
            object: { id: object.id, name: object.name, kind: object.kind as ObjectKind },
          },
        ];
  });
}

export const forgetOldNodes = async (
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
  now: Ms,
): Promise<void> => {
  await db
    .deleteFrom('vb365_node')
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('read_at', '<', now - KEEP_MS)
    .execute();
};
