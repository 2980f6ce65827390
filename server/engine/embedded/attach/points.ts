import { sql } from 'kysely';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { AttachmentProblem } from '#contract/engine/repositories.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { ensureObject } from '../index/objects.ts';
import { BATCH_ROWS, ownedRecordset } from '../index/pages.ts';
import { cleanText } from '../index/text.ts';
import { listObjectNumbers } from '../repositories/expired.ts';
import { deleteRows, INDEX_TABLES } from '../repositories/delete-repository.ts';
import type { Snapshot } from '../restic/snapshot.ts';
import { getSession, type PointFacts, type PointObject } from '../sessions/restore-point.ts';
import { done, ok } from '../../result.ts';
import { isProtections, readProtections } from '../repositories/protections.ts';
import { adoptProtections } from './adopt-protections.ts';
import { type AttachRun, checkSignal, commit, withProblems } from './attachment.ts';
import { type DescribedPoint, readPoint } from './lines.ts';
import type { PointId } from '#contract/ids.ts';

/** Removes what the index has of the repository. Its objects keep their numbers. */
export async function clearIndex(run: AttachRun): Promise<EngineResult<void>> {
  const { store, tenant, repository } = run;
  await store.tenant(tenant, ({ sql: db }) =>
    db
      .deleteFrom('restore_point')
      .where('tenant_id', '=', tenant)
      .where('repository_id', '=', repository)
      .where('snapshot', 'is not', null)
      .execute(),
  );
  const objects = await store.tenant(tenant, (tx) => listObjectNumbers(tx, repository), {
    readOnly: true,
  });
  for (const object of objects)
    for (const table of INDEX_TABLES)
      for (let isLast = false; !isLast;) {
        const going = checkSignal(run);
        if (!going.ok) return going;
        isLast = await store.tenant(tenant, (tx) => deleteRows(tx, table, object));
      }
  await commit(run, { state: 'points' }, async ({ sql: db }) => {
    await db
      .updateTable('backup_object')
      .set({ items: 0, bytes: 0, tree: null, text_item: 0 })
      .where('tenant_id', '=', tenant)
      .where('repository_id', '=', repository)
      .execute();
  });
  return done;
}

/** Stores the restore points and the states of their objects, the newest first. */
export async function attachPoints(run: AttachRun): Promise<EngineResult<void>> {
  const damaged: AttachmentProblem[] = [];
  const listed = await run.opened.listSnapshots((snapshot) =>
    damaged.push({ kind: 'damaged', snapshot, at: null, object: null }),
  );
  if (!listed.ok) return listed;
  const snapshots = listed.value.filter((one) => !isProtections(one)).toReversed();
  const protections = await readProtections(run.opened, listed.value);
  if (!protections.ok) return protections;
  const isOurs = protections.value !== null && isOwn(run, protections.value);
  const known = await loadKnown(run);
  // Found again after an interruption: the problems are those of all points.
  await commit(run, {
    ...withProblems({ ...run.progress, problems: [], problemCount: 0 }, damaged),
    points: { done: 0, total: snapshots.length },
  });
  const numbers = await loadNumbers(run);
  let hasReplaced = false;
  for (const group of groupBySession(snapshots)) {
    hasReplaced ||= group.length > 1;
    const going = checkSignal(run);
    if (!going.ok) return going;
    const points = { ...run.progress.points, done: run.progress.points.done + group.length };
    const found = await findPoint(run, group, known);
    if (!found.ok) return found;
    const { point, problems } = found.value;
    if (point === null) await commit(run, { ...withProblems(run.progress, problems), points });
    else await storePoint(run, point, numbers, { points, problems });
  }
  const objects = await run.store.tenant(run.tenant, (tx) => listObjectNumbers(tx, run.repository));
  await commit(run, { state: 'objects', objects: { done: 0, total: objects.length } }, (tx) =>
    adoptProtections(
      tx,
      run,
      { stored: isOurs ? protections.value : null, hasReplaced },
      run.clock.now(),
    ),
  );
  return done;
}

/** Snapshots of one session are two states of one point: one of them replaces the other. */
const groupBySession = (snapshots: readonly Snapshot[]): readonly (readonly Snapshot[])[] => [
  ...Map.groupBy(snapshots, (snapshot) => getSession(snapshot) ?? snapshot.id).values(),
];

interface FoundPoint {
  /** Null: there is none to store. */
  readonly point: (DescribedPoint & { readonly snapshot: string }) | null;
  readonly problems: readonly AttachmentProblem[];
}

async function findPoint(
  run: AttachRun,
  group: readonly Snapshot[],
  known: ReadonlySet<string>,
): Promise<EngineResult<FoundPoint>> {
  let point: FoundPoint['point'] = null;
  const problems: AttachmentProblem[] = [];
  for (const snapshot of group) {
    if (known.has(snapshot.id)) return ok({ point: null, problems: [] });
    const { id, at, tree } = snapshot;
    const described = getSession(snapshot) === null ? null : await readPoint(run.opened, tree);
    if (described?.ok === false && described.error.kind !== 'damaged') return described;
    if (described?.ok === false) problems.push({ kind: 'damaged', snapshot: id, at, object: null });
    else if (described === null || !isOwn(run, described.value.facts))
      problems.push({ kind: 'foreign', snapshot: id, at, object: null });
    // The one without items that have expired since.
    else if (point === null || countItems(described.value) < countItems(point))
      point = { ...described.value, snapshot: id };
  }
  return ok({ point, problems: point === null ? problems : [] });
}

const countItems = ({ objects }: DescribedPoint): number =>
  objects.reduce((sum, { items }) => sum + items, 0);

/** Whether a point is of this organization: on another server, its tenant at Microsoft says so. */
export const isOwn = (
  { organization, directory }: Pick<AttachRun, 'organization' | 'directory'>,
  facts: Pick<PointFacts, 'organization' | 'directory'>,
): boolean =>
  facts.directory === null || directory === null
    ? facts.organization === organization
    : facts.directory === directory;

const loadKnown = async ({ store, tenant, repository }: AttachRun): Promise<Set<string>> => {
  const rows = await store.tenant(
    tenant,
    ({ sql: db }) =>
      db
        .selectFrom('restore_point')
        .select('snapshot')
        .where('tenant_id', '=', tenant)
        .where('repository_id', '=', repository)
        .execute(),
    { readOnly: true },
  );
  return new Set(rows.flatMap(({ snapshot }) => snapshot ?? []));
};

/** Numbers of objects by what they are in the cloud. */
type Numbers = Map<string, number>;
const getKey = ({ kind, id }: Pick<PointObject, 'kind' | 'id'>): string => `${kind} ${id}`;

const loadNumbers = async ({ store, tenant, repository }: AttachRun): Promise<Numbers> => {
  const rows = await store.tenant(
    tenant,
    ({ sql: db }) =>
      db
        .selectFrom('backup_object')
        .select(['n', 'kind', 'directory_id as id'])
        .where('tenant_id', '=', tenant)
        .where('repository_id', '=', repository)
        .execute(),
    { readOnly: true },
  );
  return new Map(rows.map((row) => [getKey(row), row.n]));
};

async function storePoint(
  run: AttachRun,
  { facts, objects, snapshot }: NonNullable<FoundPoint['point']>,
  numbers: Numbers,
  end: {
    readonly points: AttachRun['progress']['points'];
    readonly problems: readonly AttachmentProblem[];
  },
): Promise<void> {
  const lacking: UnnumberedObject[] = [];
  const isStored = await isStoredElsewhere(run, facts);
  const wanted = isStored ? [] : objects;
  for (let from = 0; from < wanted.length; from += OBJECTS_PER_BATCH)
    await run.store.tenant(run.tenant, async (tx) => {
      const part = wanted.slice(from, from + OBJECTS_PER_BATCH);
      lacking.push(...(await storeObjects(tx, run, facts, part, numbers)));
    });
  const problem = { snapshot, at: facts.at };
  const problems: readonly AttachmentProblem[] = isStored
    ? [{ ...problem, kind: 'foreign', object: null }]
    : lacking.map(({ name: object }) => ({ ...problem, kind: 'incomplete', object }));
  await commit(
    run,
    { ...withProblems(run.progress, [...end.problems, ...problems]), points: end.points },
    async (tx) => {
      if (!isStored) await insertPoint(tx, run, { ...facts, snapshot, lacking });
    },
  );
}
/** With a row in each of two tables. */
const OBJECTS_PER_BATCH = BATCH_ROWS / 2;

/** Another repository has the point: this one is a copy of it. */
async function isStoredElsewhere(
  { store, tenant, repository }: AttachRun,
  { point }: PointFacts,
): Promise<boolean> {
  const row = await store.tenant(tenant, (tx) => findRepositoryOfPoint(tx, point), {
    readOnly: true,
  });
  return row !== null && row !== repository;
}

/** Returns the repository that a restore point is in; null if nobody knows the point. */
export async function findRepositoryOfPoint(
  { sql: db, tenant }: TenantTx,
  point: PointId,
): Promise<string | null> {
  const row = await db
    .selectFrom('restore_point')
    .select('repository_id')
    .where('tenant_id', '=', tenant)
    .where('id', '=', point)
    .executeTakeFirst();
  return row?.repository_id ?? null;
}

/** Only the snapshot of the point has it. */
interface UnnumberedObject {
  readonly n: number;
  readonly name: string;
}

/** Returns the objects whose number of this point is taken by a newer one. */
async function storeObjects(
  tx: TenantTx,
  { repository, organization }: AttachRun,
  { point }: PointFacts,
  objects: readonly PointObject[],
  numbers: Numbers,
): Promise<readonly UnnumberedObject[]> {
  const records = [];
  for (const object of objects) {
    const n =
      numbers.get(getKey(object)) ??
      (await ensureObject(tx, { repository, organization }, object)).n;
    numbers.set(getKey(object), n);
    const { point: number, at, items, bytes, tree } = object;
    records.push({ object_n: n, point: number, at, items, bytes, tree });
  }
  const { rows } = await sql<{ readonly object_n: number }>`
    insert into object_point (tenant_id, object_n, point, point_id, at, items, bytes, tree)
    select h.tenant_id, x.object_n, x.point, ${point}, x.at, x.items, x.bytes, x.tree from ${ownedRecordset(
      tx.tenant,
      records,
      sql`object_n bigint, point integer, at bigint, items bigint, bytes bigint, tree text`,
    )}
    on conflict (tenant_id, object_n, point) do update set point_id = excluded.point_id
      where object_point.point_id = excluded.point_id
    returning object_n`.execute(tx.sql);
  const stored = new Set(rows.map(({ object_n }) => object_n));
  return objects.flatMap((object) => {
    const n = numbers.get(getKey(object)) ?? 0;
    return stored.has(n) ? [] : [{ n, name: cleanText(object.name) }];
  });
}

const insertPoint = async (
  { sql: db, tenant }: TenantTx,
  { repository, organization }: AttachRun,
  {
    point,
    job,
    session,
    at,
    result,
    changes,
    lacks,
    snapshot,
    lacking,
  }: PointFacts & { readonly snapshot: string; readonly lacking: readonly UnnumberedObject[] },
): Promise<void> => {
  await db
    .insertInto('restore_point')
    .values({
      tenant_id: tenant,
      id: point,
      organization_id: organization,
      repository_id: repository,
      job_id: job,
      session_id: session,
      at,
      snapshot,
      result: lacking.length > 0 ? 'warning' : result,
      changes,
      lacks: JSON.stringify([
        ...lacks.map((name) => cleanText(name)),
        ...lacking.map(({ name }) => name),
      ]),
      unnumbered: JSON.stringify(lacking.map(({ n }) => String(n))),
    })
    .onConflict((on) => on.doNothing())
    .execute();
};
