import { sql } from 'kysely';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { BackupRepositoryId, BackupSessionId, Ms, PointId, TenantId } from '#contract/ids.ts';
import type { Store, TenantTx } from '#server/platform/db/store.ts';
import type { BlobId } from '../restic/pack.ts';
import type { Repository } from '../restic/repository.ts';
import type { Snapshot } from '../restic/snapshot.ts';
import type { StoredNode, TreeNode } from '../restic/tree.ts';
import { failed, ok } from '../../result.ts';
import { METADATA_NAME, metadataNode } from '../sessions/object-tree.ts';
import { readMetadata } from '../sessions/metadata.ts';
import {
  getSession,
  loadPointObjects,
  type PointObject,
  savePointTree,
} from '../sessions/restore-point.ts';
import { rewriteMessages as t } from './messages.en.ts';
import { loadUnnumbered } from './unnumbered.ts';

interface Place {
  readonly store: Store;
  readonly tenant: TenantId;
  readonly repository: BackupRepositoryId;
  /** Null: items stay, and only objects that points no longer have go. */
  readonly since: Ms | null;
  /** Their items stay. */
  readonly onHold: readonly number[];
  /** The points that are about to be forgotten; by default, all that are invisible. */
  readonly forgotten?: ReadonlySet<PointId>;
  /** Objects that have to go, also from snapshots without a restore point. */
  readonly isErased?: (object: StoredObject) => boolean;
}

/**
 * Rewrites all restore points of a repository without items that were last changed before `since`,
 * except those of objects on hold, and without objects that the points no longer have.
 * Returns the snapshots that nothing refers to any more. Can be repeated after a crash.
 */
export async function rewritePoints(
  place: Place,
  opened: Repository,
): Promise<EngineResult<readonly string[]>> {
  const done: RewrittenTrees = new Map();
  const trees = await rewriteObjects(place, opened, done);
  if (!trees.ok) return trees;
  const snapshots = await opened.listSnapshots();
  if (!snapshots.ok) return snapshots;
  const { store, tenant } = place;
  const points = await store.tenant(tenant, (tx) => loadPoints(tx, place.repository), {
    readOnly: true,
  });
  for (const { point, snapshot: id, complete } of points) {
    if (place.forgotten?.has(point) ?? !complete) continue; // about to be forgotten
    const before = snapshots.value.find((snapshot) => snapshot.id === id);
    if (before === undefined) continue; // damaged
    const after = await rewriteSnapshot(place, opened, { point, before, done });
    if (!after.ok) return after;
    if (after.value !== null)
      await store.tenant(tenant, ({ sql: db }) =>
        db
          .updateTable('restore_point')
          .set({ snapshot: after.value })
          .where('tenant_id', '=', tenant)
          .where('id', '=', point)
          .where('snapshot', '=', id)
          .execute(),
      );
  }
  return findUnused(place, opened);
}

/** Replaces the trees of objects that have such items. */
async function rewriteObjects(
  { store, tenant, repository, since, onHold }: Place,
  opened: Repository,
  done: RewrittenTrees,
): Promise<EngineResult<void>> {
  if (since === null) return ok(undefined);
  const { rows } = await store.tenant(
    tenant,
    ({ sql: db }) =>
      sql<{ readonly tree: BlobId }>`
        select o.tree from backup_object as o where o.tenant_id = ${tenant} and o.repository_id = ${repository} and o.tree is not null and o.n <> all(${onHold}::bigint[])
        union
        select s.tree from object_point as s join backup_object as o on o.tenant_id = s.tenant_id and o.n = s.object_n
        where s.tenant_id = ${tenant} and o.repository_id = ${repository} and o.n <> all(${onHold}::bigint[])`.execute(
        db,
      ),
    { readOnly: true },
  );
  const replaced: { readonly before: BlobId; readonly after: BlobId }[] = [];
  for (const { tree } of rows) {
    const after = await rewriteTree(opened, tree, since, done);
    if (!after.ok) return after;
    if (after.value.tree !== tree) replaced.push({ before: tree, after: after.value.tree });
  }
  const flushed = await opened.flush();
  if (!flushed.ok || replaced.length === 0) return flushed;
  await store.tenant(tenant, async ({ sql: db }) => {
    const trees = sql`jsonb_to_recordset(${JSON.stringify(replaced)}::text::jsonb) as x(before text, after text)`;
    await sql`
      update object_point as s set tree = x.after from ${trees} cross join backup_object as o
      where s.tenant_id = ${tenant} and s.tree = x.before and o.tenant_id = ${tenant} and o.n = s.object_n and o.repository_id = ${repository} and o.n <> all(${onHold}::bigint[])`.execute(
      db,
    );
    await sql`
      update backup_object as o set tree = x.after from ${trees}
      where o.tenant_id = ${tenant} and o.repository_id = ${repository} and o.tree = x.before and o.n <> all(${onHold}::bigint[])`.execute(
      db,
    );
  });
  return ok(undefined);
}

interface Rewritten {
  readonly tree: BlobId;
  readonly isEmpty: boolean;
}
type RewrittenTrees = Map<BlobId, Rewritten>;

/**
 * Returns a folder without the files that were last changed before `since`. Each folder is rewritten
 * once, however many points share it.
 */
async function rewriteTree(
  opened: Repository,
  tree: BlobId,
  since: Ms,
  done: RewrittenTrees,
): Promise<EngineResult<Rewritten>> {
  const known = done.get(tree);
  if (known !== undefined) return ok(known);
  const nodes = await opened.readTree(tree);
  if (!nodes.ok) return nodes;
  const stored: TreeNode[] = [];
  let isChanged = false;
  for (const node of nodes.value) {
    const after = await rewriteNode(opened, node, since, done);
    if (!after.ok) return after;
    isChanged ||= after.value !== node;
    if (after.value !== null) stored.push(after.value);
  }
  const saved = isChanged ? await opened.saveTree(stored) : ok({ id: tree });
  if (!saved.ok) return saved;
  const rewritten = { tree: saved.value.id, isEmpty: stored.length === 0 };
  done.set(tree, rewritten);
  return ok(rewritten);
}

/** Returns the node as it was, another one, or null if nothing of it is left. */
async function rewriteNode(
  opened: Repository,
  node: StoredNode,
  since: Ms,
  done: RewrittenTrees,
): Promise<EngineResult<TreeNode | null>> {
  if (node.kind === 'other') return failed('damaged', t.unknownNode);
  if (node.kind === 'dir') {
    const below = await rewriteTree(opened, node.subtree, since, done);
    if (!below.ok) return below;
    const { tree, isEmpty } = below.value;
    if (tree === node.subtree) return ok(node);
    // A part of a folder goes with its last file; the folder itself has a line of its own.
    return ok(isEmpty ? null : { ...node, subtree: tree });
  }
  if (node.name !== METADATA_NAME) return ok(node.modifiedAt < since ? null : node);
  const lines = await readMetadata(opened, node.content);
  if (!lines.ok) return lines;
  const stored = lines.value.filter((line) => getChangedAt(line) >= since);
  if (stored.length === lines.value.length) return ok(node);
  const saved = await metadataNode(opened, stored);
  return saved.ok ? ok(saved.value[0] ?? null) : saved;
}

/** Lines of folders stay. */
const getChangedAt = (line: { readonly item?: { readonly changedAt: Ms } }): Ms =>
  line.item?.changedAt ?? Infinity;

interface StoredPoint {
  readonly point: PointId;
  readonly session: BackupSessionId;
  readonly snapshot: string;
  readonly complete: boolean;
}

async function loadPoints(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<readonly StoredPoint[]> {
  const { rows } = await sql<StoredPoint>`
    select id as point, session_id as session, snapshot, complete from restore_point
    where tenant_id = ${tenant} and repository_id = ${repository} and snapshot is not null order by at`.execute(
    db,
  );
  return rows;
}

/**
 * Returns the id of a new snapshot; null if its content is the same. What attaching couldn't number
 * stays, as only the snapshot has it.
 */
async function rewriteSnapshot(
  place: Place,
  opened: Repository,
  at: { readonly point: PointId; readonly before: Snapshot; readonly done: RewrittenTrees },
): Promise<EngineResult<string | null>> {
  const { point, before, done } = at;
  const { numbered, unnumbered } = await place.store.tenant(
    place.tenant,
    async (tx) => ({
      numbered: await loadPointObjects(tx, point),
      unnumbered: await loadUnnumbered(tx, point),
    }),
    { readOnly: true },
  );
  const lines = await readDescription(opened, before);
  if (!lines.ok) return lines;
  const objects = [...numbered];
  for (const object of unnumbered.size === 0 ? [] : lines.value.flatMap(getObject)) {
    const n = unnumbered.get(`${object.kind} ${object.id}`);
    if (n === undefined) continue;
    const { since, onHold } = place;
    const isSpared = since === null || onHold.includes(n);
    const tree = isSpared ? ok(object) : await rewriteTree(opened, object.tree, since, done);
    if (!tree.ok) return tree;
    objects.push({ ...object, n, tree: tree.value.tree });
  }
  objects.sort((a, b) => a.n - b.n);
  const trees = new Map(lines.value.flatMap(getTree));
  const isSame =
    objects.length === trees.size && objects.every(({ n, tree }) => trees.get(n) === tree);
  if (isSame) return ok(null);
  const [facts] = lines.value;
  if (facts === undefined) return failed('damaged', t.descriptionMissing);
  const root = await savePointTree(opened, facts, objects);
  return root.ok ? opened.saveSnapshot({ ...before, tree: root.value }) : root;
}

/** What a snapshot says about its restore point and its objects. */
async function readDescription(
  opened: Repository,
  { tree }: Pick<Snapshot, 'tree'>,
): Promise<EngineResult<readonly object[]>> {
  const nodes = await opened.readTree(tree);
  if (!nodes.ok) return nodes;
  const metadata = nodes.value.find(({ name }) => name === METADATA_NAME);
  return readMetadata(opened, metadata?.kind === 'file' ? metadata.content : []);
}

/** An object as a snapshot has it. */
type StoredObject = PointObject;

/** Returns the objects of a snapshot; none if Daybook didn't make it. */
export async function readObjects(
  opened: Repository,
  snapshot: Pick<Snapshot, 'tree'>,
): Promise<EngineResult<readonly StoredObject[]>> {
  const lines = await readDescription(opened, snapshot);
  return lines.ok ? ok(lines.value.flatMap(getObject)) : lines;
}

const getObject = ({ object }: { readonly object?: StoredObject }): StoredObject[] =>
  object === undefined ? [] : [object];

const getTree = (line: { readonly object?: StoredObject }): [number, BlobId][] =>
  getObject(line).map(({ n, tree }) => [n, tree]);

/**
 * Snapshots that were replaced by others of the same session. Of those without a restore point, such as
 * of a session that was killed, that have an object which has to go, others take their place.
 */
async function findUnused(
  { store, tenant, repository, isErased }: Place,
  opened: Repository,
): Promise<EngineResult<readonly string[]>> {
  const snapshots = await opened.listSnapshots();
  if (!snapshots.ok) return snapshots;
  const { used, open } = await store.tenant(
    tenant,
    async (tx) => {
      const sessions = await tx.sql
        .selectFrom('backup_session')
        .select('id')
        .where('tenant_id', '=', tenant)
        .where('repository_id', '=', repository)
        .where('state', '<>', 'done')
        .execute();
      return {
        used: new Map(
          (await loadPoints(tx, repository)).map(({ session, snapshot }) => [session, snapshot]),
        ),
        open: new Set(sessions.map(({ id }) => id)),
      };
    },
    { readOnly: true },
  );
  const present = new Set(used.values());
  const unused: string[] = [];
  for (const snapshot of snapshots.value) {
    const session = getSession(snapshot);
    if (present.has(snapshot.id) || (session !== null && open.has(session))) continue;
    if (session !== null && used.has(session)) unused.push(snapshot.id);
    else if (isErased !== undefined) {
      const replaced = await replaceWithout(opened, snapshot, isErased);
      if (!replaced.ok) return replaced;
      if (replaced.value) unused.push(snapshot.id);
    }
  }
  return ok(unused);
}

/** Saves a snapshot again without objects that have to go. Returns whether it has any. */
async function replaceWithout(
  opened: Repository,
  snapshot: Snapshot,
  isErased: (object: StoredObject) => boolean,
): Promise<EngineResult<boolean>> {
  const lines = await readDescription(opened, snapshot);
  if (!lines.ok) return lines;
  const objects = lines.value.flatMap(getObject);
  const left = objects.filter((object) => !isErased(object));
  const [facts] = lines.value;
  if (left.length === objects.length || facts === undefined) return ok(false);
  if (left.length === 0) return ok(true);
  const root = await savePointTree(opened, facts, left);
  if (!root.ok) return root;
  const saved = await opened.saveSnapshot({ ...snapshot, tree: root.value });
  return saved.ok ? ok(true) : saved;
}
