import type { EngineResult, ObjectKind, RestorePoint } from '#contract/engine/engine.ts';
import type {
  BackupJobId,
  BackupSessionId,
  Bytes,
  Ms,
  OrganizationId,
  PointId,
} from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Repository } from '../restic/repository.ts';
import type { Snapshot } from '../restic/snapshot.ts';
import type { TreeNode } from '../restic/tree.ts';
import { safePart } from '../../shared/entry-names.ts';
import { nameEntries, placeByNumber, type LayoutFolder } from './layout.ts';
import { metadataNode } from './object-tree.ts';

/** The state of an object in a restore point. */
export interface PointObject {
  readonly n: number;
  readonly kind: ObjectKind;
  readonly id: string;
  readonly name: string;
  readonly address: string;
  /** Of a subsite: the id of the site above it. Of a team: that of its site. */
  readonly parent: string | null;
  readonly point: number;
  readonly at: Ms;
  readonly items: number;
  readonly bytes: Bytes;
  readonly tree: string;
}

export async function loadPointObjects(
  { sql: db, tenant }: TenantTx,
  point: PointId,
): Promise<readonly PointObject[]> {
  return db
    .selectFrom('object_point as p')
    .innerJoin('backup_object as o', (join) =>
      join.onRef('o.tenant_id', '=', 'p.tenant_id').onRef('o.n', '=', 'p.object_n'),
    )
    .select([
      'o.n',
      'o.kind',
      'o.directory_id as id',
      'o.name',
      'o.address',
      'o.parent_id as parent',
      'p.point',
      'p.at',
      'p.items',
      'p.bytes',
      'p.tree',
    ])
    .where('p.tenant_id', '=', tenant)
    .where('p.point_id', '=', point)
    .orderBy('o.n')
    .execute();
}

/** What a snapshot says about its restore point besides the content. */
export interface PointFacts {
  readonly point: PointId;
  readonly job: BackupJobId;
  readonly session: BackupSessionId;
  readonly organization: OrganizationId;
  /** The tenant's id at Microsoft: whose point it is on any server. Null: unknown. */
  readonly directory: string | null;
  readonly at: Ms;
  readonly result: RestorePoint['result'];
  readonly changes: number;
  /** Names of objects that failed. */
  readonly lacks: readonly string[];
}

/** The tag by which the snapshot of a session is found. */
const getSessionTag = (session: BackupSessionId): string => `session-${session}`;

/** Returns the session that made a snapshot; null for one that isn't Daybook's. */
export const getSession = ({ tags }: Pick<Snapshot, 'tags'>): BackupSessionId | null =>
  (tags.find((tag) => tag.startsWith('session-'))?.slice('session-'.length) ??
    null) as BackupSessionId | null;

/**
 * Makes a snapshot of the objects and returns its id. If a session that was killed has made it,
 * returns that one (ENG-2).
 */
export async function saveRestorePoint(
  repository: Repository,
  facts: PointFacts,
  objects: readonly PointObject[],
  mayExist: boolean,
): Promise<EngineResult<string>> {
  if (mayExist) {
    const snapshots = await repository.listSnapshots();
    if (!snapshots.ok) return snapshots;
    const existing = snapshots.value.find(({ tags }) =>
      tags.includes(getSessionTag(facts.session)),
    );
    if (existing !== undefined) return { ok: true, value: existing.id };
  }
  const root = await savePointTree(repository, { version: 1, ...facts }, objects);
  return root.ok
    ? repository.saveSnapshot({
        at: facts.at,
        tree: root.value,
        parent: null,
        paths: [...new Set(objects.map(({ kind }) => `/${PLACES[kind].root}`))],
        tags: ['daybook', getSessionTag(facts.session)],
        username: 'daybook',
      })
    : root;
}

/**
 * Saves the folders of all people, sites and teams, and what the point itself is: its facts with the
 * version of their format. Returns the id of the tree.
 */
export async function savePointTree(
  repository: Repository,
  facts: object,
  objects: readonly PointObject[],
): Promise<EngineResult<string>> {
  const roots: TreeNode[] = [];
  for (const [name, within] of Map.groupBy(objects, ({ kind }) => PLACES[kind].root)) {
    const owners = Map.groupBy(within, ({ id }) => id);
    const entries = [...owners.values()].map((own) => ({
      n: own[0]?.n ?? 0,
      name: (own[0]?.address || own[0]?.name || '').replace(/^https:\/\//, ''),
      own,
    }));
    const saved = await saveOwners(repository, placeByNumber(entries));
    if (!saved.ok) return saved;
    roots.push({ kind: 'dir', name, modifiedAt: 0, subtree: saved.value });
  }
  const metadata = await metadataNode(repository, [
    facts,
    ...objects.map((object) => ({ object })),
  ]);
  if (!metadata.ok) return metadata;
  const root = await repository.saveTree([...roots, ...metadata.value]);
  return root.ok ? { ok: true, value: root.value.id } : root;
}

interface OwnerEntry {
  readonly n: number;
  readonly name: string;
  readonly own: readonly PointObject[];
}

async function saveOwners(
  repository: Repository,
  placed: LayoutFolder<OwnerEntry>,
): Promise<EngineResult<string>> {
  const folders: NamedTree[] = [];
  for (const { n, name, own } of placed.entries) {
    const tree = await repository.saveTree(
      own.map(({ kind, tree: subtree }) => ({
        kind: 'dir',
        name: PLACES[kind].folder,
        modifiedAt: 0,
        subtree,
      })),
    );
    if (!tree.ok) return tree;
    folders.push({ number: String(n), name: safePart(name), tree: tree.value.id });
  }
  for (const [name, part] of placed.folders) {
    const tree = await saveOwners(repository, part);
    if (!tree.ok) return tree;
    folders.push({ number: 'p', name: `part-${name}`, tree: tree.value });
  }
  const nodes = [...nameEntries(folders, (folder) => folder)].map(([{ tree }, name]): TreeNode => ({
    kind: 'dir',
    name,
    modifiedAt: 0,
    subtree: tree,
  }));
  const saved = await repository.saveTree(nodes);
  return saved.ok ? { ok: true, value: saved.value.id } : saved;
}

interface NamedTree {
  readonly number: string;
  readonly name: string;
  readonly tree: string;
}

/** Where the folders of an object are in a snapshot: `/<root>/<owner>/<folder>`. */
const PLACES: Readonly<Record<ObjectKind, { readonly root: string; readonly folder: string }>> = {
  mailbox: { root: 'users', folder: 'mailbox' },
  archive: { root: 'users', folder: 'archive' },
  drive: { root: 'users', folder: 'onedrive' },
  site: { root: 'sites', folder: 'site' },
  team: { root: 'teams', folder: 'team' },
};
