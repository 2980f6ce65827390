import * as v from 'valibot';
import type { EngineResult, ItemKind, ObjectKind, PartRole } from '#contract/engine/engine.ts';
import type { ItemFlags, StoredPart } from '#contract/engine/stored-item.ts';
import type { IndexedFolder, IndexedItem } from '../index/read.ts';
import type { Repository } from '../restic/repository.ts';
import type { StoredNode } from '../restic/tree.ts';
import { readMetadata } from '../sessions/metadata.ts';
import { SharingPermission } from '../sources/sharing.ts';
import { getPostKey, isPostKey } from '../sources/team-paths.ts';
import { METADATA_NAME } from '../sessions/object-tree.ts';
import type { PointFacts, PointObject } from '../sessions/restore-point.ts';
import { failed, type Failed, ok } from '../../result.ts';
import type { BackupJobId, BackupSessionId, OrganizationId, PointId } from '#contract/ids.ts';
import { uuidSchema } from '#contract/id-schema.ts';
import { attachMessages as t } from './messages.en.ts';

// What Daybook wrote beside the files of a restore point. Repositories come from anywhere, so each
// line is checked before it is used.

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const number = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2_000_000_000));
const ms = v.pipe(v.number(), v.safeInteger());
const blobId = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** Points of the first versions of Daybook lack the last fields. */
const FACTS = v.object({
  version: v.literal(1),
  point: uuidSchema<PointId>(),
  job: uuidSchema<BackupJobId>(),
  session: uuidSchema<BackupSessionId>(),
  organization: uuidSchema<OrganizationId>(),
  directory: v.optional(v.nullable(v.string()), null),
  at: ms,
  result: v.optional(v.picklist(['success', 'warning']), 'success'),
  changes: v.optional(count, 0),
  lacks: v.optional(v.array(v.string()), []),
});

const OBJECT_KINDS = [
  'mailbox',
  'archive',
  'drive',
  'site',
  'team',
] as const satisfies readonly ObjectKind[];
const OBJECT = v.object({
  n: number,
  kind: v.picklist(OBJECT_KINDS),
  id: v.string(),
  name: v.string(),
  address: v.string(),
  parent: v.optional(v.nullable(v.string()), null),
  point: number,
  at: ms,
  items: count,
  bytes: count,
  tree: blobId,
}) satisfies v.GenericSchema<unknown, PointObject>;

const FOLDER = v.object({
  n: number,
  key: v.string(),
  parent: v.nullable(v.string()),
  name: v.string(),
  wellKnown: v.nullable(v.string()),
  sharing: v.exactOptional(v.array(SharingPermission)),
  fromPoint: number,
}) satisfies v.GenericSchema<unknown, IndexedFolder>;

const FLAGS = v.object({
  read: v.exactOptional(v.boolean()),
  draft: v.exactOptional(v.boolean()),
  flagged: v.exactOptional(v.boolean()),
  answered: v.exactOptional(v.boolean()),
  attachments: v.exactOptional(count),
  importance: v.exactOptional(v.picklist(['low', 'high'])),
  categories: v.exactOptional(v.array(v.string())),
  messageId: v.exactOptional(v.string()),
  version: v.exactOptional(v.string()),
  presentVersion: v.exactOptional(v.string()),
  replies: v.exactOptional(count),
  hash: v.exactOptional(v.string()),
  fields: v.exactOptional(v.record(v.string(), v.string())),
} satisfies Record<keyof ItemFlags, unknown>) satisfies v.GenericSchema<unknown, ItemFlags>;

const ROLES = [
  'mime',
  'raw',
  'json',
  'fts',
  'html',
  'hosted',
  'ics',
  'vcf',
] as const satisfies readonly PartRole[];
const PART = v.object({
  as: v.picklist(ROLES),
  name: v.exactOptional(v.string()),
  bytes: count,
  crc: count,
  blobs: v.array(blobId),
}) satisfies v.GenericSchema<unknown, StoredPart>;

const ITEM_KINDS = [
  'mail',
  'event',
  'contact',
  'task',
  'note',
  'file',
  'row',
  'post',
  'tab',
  'settings',
] as const satisfies readonly ItemKind[];
const ITEM = v.object({
  n: number,
  folder: v.string(),
  key: v.string(),
  changeKey: v.string(),
  kind: v.picklist(ITEM_KINDS),
  title: v.string(),
  people: v.string(),
  at: ms,
  changedAt: ms,
  bytes: count,
  flags: FLAGS,
  parts: v.array(PART),
  fromPoint: number,
}) satisfies v.GenericSchema<unknown, IndexedItem>;

const OBJECT_LINE = v.object({ object: OBJECT });
const CONTENT_LINE = v.union([v.object({ folder: FOLDER }), v.object({ item: ITEM })]);

/** What a snapshot says about its restore point. */
export interface DescribedPoint {
  readonly facts: PointFacts;
  readonly objects: readonly PointObject[];
}

/** Returns what a restore point is and has, or `damaged` if that can't be read. */
export async function readPoint(
  repository: Repository,
  tree: string,
): Promise<EngineResult<DescribedPoint>> {
  const nodes = await repository.readTree(tree);
  if (!nodes.ok) return asDamage(nodes);
  const file = nodes.value.find(({ name }) => name === METADATA_NAME);
  if (file?.kind !== 'file') return unreadable();
  const lines = await readMetadata(repository, file.content);
  if (!lines.ok) return asDamage(lines);
  const [first, ...others] = lines.value;
  const facts = v.safeParse(FACTS, first);
  const objects = v.safeParse(v.array(OBJECT_LINE), others);
  return facts.success && objects.success
    ? ok({
        facts: facts.output,
        objects: objects.output.map(({ object }) => object).sort((a, b) => a.n - b.n),
      })
    : unreadable();
}

/** Folders and items that one folder of a restore point describes. */
export interface DescribedVersions {
  readonly folders: readonly IndexedFolder[];
  readonly items: readonly IndexedItem[];
}

/** Reads what a node describes: nothing, unless it is a file with metadata. */
export async function readVersions(
  repository: Pick<Repository, 'readBlob'>,
  node: StoredNode,
): Promise<EngineResult<DescribedVersions>> {
  if (node.kind !== 'file' || node.name !== METADATA_NAME) return EMPTY;
  const lines = await readMetadata(repository, node.content);
  if (!lines.ok) return asDamage(lines);
  const parsed = v.safeParse(v.array(CONTENT_LINE), lines.value);
  if (!parsed.success) return unreadable();
  return ok({
    folders: parsed.output.flatMap((line) => ('folder' in line ? [line.folder] : [])),
    items: parsed.output.flatMap((line) => ('item' in line ? [renamePost(line.item)] : [])),
  });
}

/** Snapshots up to migration 0137 describe a post by the id of its message alone. */
const renamePost = (item: IndexedItem): IndexedItem =>
  item.kind === 'post' && !isPostKey(item.key)
    ? { ...item, key: getPostKey(item.folder, item.key) }
    : item;

const EMPTY: EngineResult<DescribedVersions> = ok({ folders: [], items: [] });

const unreadable = (): Failed => failed('damaged', t.descriptionUnreadable);

/** What the repository lost is damage of it. */
export const asDamage = <T>(result: EngineResult<T>): EngineResult<T> =>
  !result.ok && result.error.kind === 'missing' ? unreadable() : result;
