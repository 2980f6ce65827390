import { sql } from 'kysely';
import type { EngineResult, EngineId } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { BATCH_ROWS } from '../index/pages.ts';
import type { IndexedFolder, IndexedItem } from '../index/read.ts';
import { insertVersions } from '../index/stored-versions.ts';
import { listObjectNumbers } from '../repositories/expired.ts';
import type { BlobId } from '../restic/pack.ts';
import { done, ok } from '../../result.ts';
import { type AttachRun, checkSignal, commit, withProblems } from './attachment.ts';
import { asDamage, type DescribedVersions, readVersions } from './lines.ts';

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
 * what the newest has continues.
 */
async function attachObject(run: AttachRun, object: number): Promise<EngineResult<void>> {
  const points = await run.store.tenant(run.tenant, (tx) => loadPoints(tx, object), {
    readOnly: true,
  });
  const [newest] = points;
  if (newest === undefined) return done;
  const completeDownTo = run.progress.point;
  if (completeDownTo === null) await commit(run, {}, (tx) => storeNewest(tx, object));
  const isWhole: WalkedTrees = new Map();
  for (const point of points) {
    if (completeDownTo !== null && point.point >= completeDownTo) continue;
    const writer = makeWriter(run, object, point, point === newest);
    const read = await readTree(run, point.tree, isWhole, writer);
    if (!read.ok) return read;
    await writer.end(read.value);
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
    where s.tenant_id = ${tenant} and s.object_n = ${object} order by s.point desc`.execute(db);
  return rows;
}

const storeNewest = async ({ sql: db, tenant }: TenantTx, object: number): Promise<void> => {
  await sql`
    update backup_object as o set point = s.point, items = s.items, bytes = s.bytes, tree = s.tree from object_point as s
    where o.tenant_id = ${tenant} and o.n = ${object} and s.tenant_id = ${tenant} and s.object_n = ${object}
      and not exists (select from object_point as later where later.tenant_id = ${tenant} and later.object_n = ${object} and later.point > s.point)`.execute(
    db,
  );
};

/** Whether each folder that was read could be read with all below it. Points share most of them. */
type WalkedTrees = Map<BlobId, boolean>;

/** Reads all that a folder describes, with the folders below. Returns whether nothing was damaged. */
async function readTree(
  run: AttachRun,
  tree: BlobId,
  walked: WalkedTrees,
  writer: Writer,
): Promise<EngineResult<boolean>> {
  const known = walked.get(tree);
  if (known !== undefined) return ok(known);
  const going = checkSignal(run);
  if (!going.ok) return going;
  const nodes = asDamage(await run.opened.readTree(tree));
  if (!nodes.ok && nodes.error.kind !== 'damaged') return nodes;
  let isWhole = nodes.ok;
  for (const node of nodes.ok ? nodes.value : []) {
    if (node.kind === 'dir') {
      const below = await readTree(run, node.subtree, walked, writer);
      if (!below.ok) return below;
      isWhole &&= below.value;
      continue;
    }
    const versions = await readVersions(run.opened, node);
    if (!versions.ok && versions.error.kind !== 'damaged') return versions;
    isWhole &&= versions.ok;
    if (versions.ok) await writer.add(versions.value);
  }
  walked.set(tree, isWhole);
  return ok(isWhole);
}

interface Writer {
  add(versions: DescribedVersions): Promise<void>;
  /** Stores that all of the point is read, or that something of it is damaged. */
  end(isWhole: boolean): Promise<void>;
}

function makeWriter(run: AttachRun, object: number, point: ObjectPoint, isNewest: boolean): Writer {
  let folders: IndexedFolder[] = [];
  let items: IndexedItem[] = [];
  let hasWritten = false;

  async function write(
    change: Partial<AttachRun['progress']>,
    work: (tx: TenantTx) => Promise<void> = async () => {},
  ): Promise<void> {
    const versions = { folders, items };
    folders = [];
    items = [];
    hasWritten = true;
    await commit(run, change, async (tx) => {
      await insertVersions(tx, { object, point: point.point, isNewest }, versions);
      await work(tx);
    });
  }

  return {
    async add(versions) {
      const count = versions.folders.length + versions.items.length;
      if (folders.length + items.length + count > BATCH_ROWS) await write({});
      folders.push(...versions.folders);
      items.push(...versions.items);
    },
    async end(isWhole) {
      const change = { point: point.point };
      if (!isWhole) {
        const { snapshot, at, name } = point;
        const problem = { kind: 'incomplete' as const, snapshot, at, object: name };
        await write({ ...change, ...withProblems(run.progress, [problem]) }, (tx) =>
          noteIncomplete(tx, point),
        );
      } else if (hasWritten || folders.length + items.length > 0) await write(change);
    },
  };
}

/** The point lacks something of the object from now on. */
const noteIncomplete = async (
  { sql: db, tenant }: TenantTx,
  { id, name }: ObjectPoint,
): Promise<void> => {
  await sql`
    update restore_point set result = 'warning', lacks = case when lacks ? ${name} then lacks else lacks || to_jsonb(${name}::text) end
    where tenant_id = ${tenant} and id = ${id}`.execute(db);
};
