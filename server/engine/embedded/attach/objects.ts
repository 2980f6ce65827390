import { sql } from 'kysely';
import type { EngineResult, EngineId } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { BATCH_ROWS } from '../index/pages.ts';
import type { IndexedFolder, IndexedItem } from '../index/read.ts';
import { listObjectNumbers } from '../repositories/expired.ts';
import type { BlobId } from '../restic/pack.ts';
import { done, ok } from '../../result.ts';
import { type AttachRun, checkSignal, commit } from './attachment.ts';
import { asDamage, type DescribedVersions, readVersions } from './lines.ts';
import { type PointNumbers, openVersionIndex, type VersionIndex } from './version-index.ts';

/** Stores the folders and items of all objects. After an interruption it continues. */
export async function attachObjects(run: AttachRun): Promise<EngineResult<void>> {
  const objects = await run.store.tenant(
    run.tenant,
    (tx) => listObjectNumbers(tx, run.repository),
    { readOnly: true },
  );
  for (const object of objects) {
    if (object <= run.progress.object) continue;
    const stored = await attachObject(run, object);
    if (!stored.ok) return stored;
    const { total } = run.progress.objects;
    const objectsDone = { done: run.progress.objects.done + 1, total };
    await commit(run, { object, point: null, objects: objectsDone });
  }
  await commit(run, { state: 'completing' });
  return done;
}

/**
 * Reads the points of an object, the newest first. What a point is the first to have ends with it;
 * what the newest has continues. A point that newer ones contradict stays in its snapshot only.
 */
async function attachObject(run: AttachRun, object: number): Promise<EngineResult<void>> {
  const points = await run.store.tenant(run.tenant, (tx) => loadPoints(tx, object), {
    readOnly: true,
  });
  const [newest] = points;
  if (newest === undefined) return done;
  const completeDownTo = run.progress.point;
  if (completeDownTo === null) await commit(run, {}, (tx) => storeNewest(tx, object, newest));
  const index = await run.store.tenant(run.tenant, (tx) => openVersionIndex(tx, object), {
    readOnly: true,
  });
  const walked: WalkedTrees = new Map();
  let above: number | null = null;
  for (const point of points) {
    // Another Daybook's: newer points have lower numbers.
    if (above !== null && point.point > above) {
      await commitIncomplete(run, point, (tx) => leaveOut(tx, object, point));
      continue;
    }
    if (completeDownTo === null || point.point < completeDownTo) {
      const own: WalkedTrees = new Map();
      const trees: Trees = {
        get: (id) => own.get(id) ?? walked.get(id),
        set: (id, tree) => own.set(id, tree),
      };
      const writer = makeWriter(run, { object, point, isNewest: point === newest, above, index });
      const read = await readTree(run, point.tree, trees, writer);
      if (!read.ok) return read;
      const isStored = await writer.end(read.value, collectNumbers(point.tree, trees));
      if (!isStored) continue;
      for (const [id, tree] of own) walked.set(id, tree);
    }
    above = point.point;
  }
  return done;
}

interface ObjectPoint {
  readonly point: number;
  readonly tree: BlobId;
  readonly id: EngineId;
  readonly snapshot: string;
  readonly at: Ms;
  /** Of the object. */
  readonly name: string;
}

async function loadPoints(
  { sql: db, tenant }: TenantTx,
  object: number,
): Promise<readonly ObjectPoint[]> {
  const { rows } = await sql<ObjectPoint>`
    select s.point, s.tree, p.id, p.snapshot, s.at, o.name from object_point as s
    join backup_object as o on o.tenant_id = s.tenant_id and o.n = s.object_n
    join restore_point as p on p.tenant_id = s.tenant_id and p.id = s.point_id
    where s.tenant_id = ${tenant} and s.object_n = ${object} order by s.at desc, s.point desc`.execute(
    db,
  );
  return rows;
}

const storeNewest = async (
  { sql: db, tenant }: TenantTx,
  object: number,
  { point }: ObjectPoint,
): Promise<void> => {
  await sql`
    update backup_object as o set point = s.point, items = s.items, bytes = s.bytes, tree = s.tree from object_point as s
    where o.tenant_id = ${tenant} and o.n = ${object} and s.tenant_id = ${tenant} and s.object_n = ${object} and s.point = ${point}`.execute(
    db,
  );
};

/** What a folder that was read describes. Points share most of them. */
interface WalkedTree {
  readonly folders: number[];
  readonly items: number[];
  readonly below: BlobId[];
  /** Whether it could be read with all below it. */
  isWhole: boolean;
}
type WalkedTrees = Map<BlobId, WalkedTree>;
interface Trees {
  get(id: BlobId): WalkedTree | undefined;
  set(id: BlobId, tree: WalkedTree): void;
}

/** Reads all that a folder describes, with the folders below. Returns whether nothing was damaged. */
async function readTree(
  run: AttachRun,
  id: BlobId,
  trees: Trees,
  writer: Writer,
): Promise<EngineResult<boolean>> {
  const known = trees.get(id);
  if (known !== undefined) return ok(known.isWhole);
  const going = checkSignal(run);
  if (!going.ok) return going;
  const nodes = asDamage(await run.opened.readTree(id));
  if (!nodes.ok && nodes.error.kind !== 'damaged') return nodes;
  const tree: WalkedTree = { folders: [], items: [], below: [], isWhole: nodes.ok };
  for (const node of nodes.ok ? nodes.value : []) {
    if (node.kind === 'dir') {
      const below = await readTree(run, node.subtree, trees, writer);
      if (!below.ok) return below;
      tree.below.push(node.subtree);
      tree.isWhole &&= below.value;
      continue;
    }
    const versions = await readVersions(run.opened, node);
    if (!versions.ok && versions.error.kind !== 'damaged') return versions;
    tree.isWhole &&= versions.ok;
    if (!versions.ok) continue;
    for (const { n } of versions.value.folders) tree.folders.push(n);
    for (const { n } of versions.value.items) tree.items.push(n);
    await writer.add(versions.value);
  }
  trees.set(id, tree);
  return ok(tree.isWhole);
}

/** Returns the numbers of all that a folder describes, with the folders below. */
function collectNumbers(root: BlobId, trees: Trees): PointNumbers {
  const seen = new Set([root]);
  const folders = new Set<number>();
  const items = new Set<number>();
  // Iterating over a set also visits what is added meanwhile.
  for (const id of seen) {
    const tree = trees.get(id);
    for (const n of tree?.folders ?? []) folders.add(n);
    for (const n of tree?.items ?? []) items.add(n);
    for (const below of tree?.below ?? []) seen.add(below);
  }
  return { folders, items };
}

interface Writer {
  add(versions: DescribedVersions): Promise<void>;
  /**
   * Stores that all of the point is read, or that something of it is damaged. Returns whether the index
   * has the object in the point: not if newer points contradict it.
   */
  end(isWhole: boolean, numbers: PointNumbers): Promise<boolean>;
}

interface WriterPlace {
  readonly object: number;
  readonly point: ObjectPoint;
  readonly isNewest: boolean;
  /** The next newer point that the index has. */
  readonly above: number | null;
  readonly index: VersionIndex;
}

function makeWriter(
  run: AttachRun,
  { object, point, isNewest, above, index }: WriterPlace,
): Writer {
  let folders: IndexedFolder[] = [];
  let items: IndexedItem[] = [];
  let isContradicted = false;
  let hasWritten = false;
  const commitWork = (work: (tx: TenantTx) => Promise<void>): Promise<void> =>
    commit(run, {}, work);

  async function write(): Promise<void> {
    const versions = { folders, items };
    folders = [];
    items = [];
    hasWritten = true;
    isContradicted ||= await index.add(commitWork, { point: point.point, isNewest }, versions);
  }

  return {
    async add(versions) {
      if (isContradicted) return;
      const count = versions.folders.length + versions.items.length;
      if (folders.length + items.length + count > BATCH_ROWS) await write();
      folders.push(...versions.folders);
      items.push(...versions.items);
    },
    async end(isWhole, numbers) {
      if (!isContradicted && folders.length + items.length > 0) await write();
      const fits =
        !isContradicted &&
        (await index.fit(commitWork, { point: point.point, isWhole, above }, numbers));
      if (!fits) {
        await index.remove(commitWork, point.point);
        await commitIncomplete(run, point, (tx) => leaveOut(tx, object, point));
      } else if (isWhole && hasWritten) await commit(run, { point: point.point });
      else if (!isWhole) await commitIncomplete(run, point, async () => {}, { point: point.point });
      return fits;
    },
  };
}

/** From now on, only the snapshot of the point has the object. */
async function leaveOut(
  { sql: db, tenant }: TenantTx,
  object: number,
  { id, point }: ObjectPoint,
): Promise<void> {
  await db
    .deleteFrom('object_point')
    .where('tenant_id', '=', tenant)
    .where('object_n', '=', object)
    .where('point', '=', point)
    .execute();
  await sql`
    update restore_point set unnumbered = unnumbered || to_jsonb(${String(object)}::text)
    where tenant_id = ${tenant} and id = ${id} and not unnumbered ? ${String(object)}`.execute(db);
}

/** Stores that a point lacks something of the object. */
const commitIncomplete = (
  run: AttachRun,
  { id, snapshot, at, name }: ObjectPoint,
  work: (tx: TenantTx) => Promise<void>,
  change: Partial<AttachRun['progress']> = {},
): Promise<void> =>
  commit(run, change, async (tx) => {
    await sql`
      update restore_point set result = 'warning', lacks = case when lacks ? ${name} then lacks else lacks || ${JSON.stringify(name)}::text::jsonb end
      where tenant_id = ${tx.tenant} and id = ${id}`.execute(tx.sql);
    await work(tx);
    return [{ kind: 'incomplete', snapshot, at, object: name }];
  });
