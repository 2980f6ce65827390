import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import * as v from 'valibot';
import { getActiveExclusions } from '#contract/backup/exclusions.ts';
import {
  directoryId,
  getActiveHolds,
  HOLD_KINDS,
  holdReason,
} from '#contract/backup/legal-holds.ts';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import { uuidSchema } from '#contract/id-schema.ts';
import type { BackupRepositoryId, Ms, OrganizationId, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { nameText } from '#contract/text-schema.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { ok } from '../../result.ts';
import type { Repository } from '../restic/repository.ts';
import type { Snapshot } from '../restic/snapshot.ts';
import { readMetadata } from '../sessions/metadata.ts';
import { METADATA_NAME, metadataNode } from '../sessions/object-tree.ts';

// The legal holds and exclusions that a repository itself lists, so that they apply wherever it is
// attached (ENG-121, ENG-122): a snapshot of its own, whose only file is a description.

const TAG = 'daybook-protections';

/** In place of what was written: it isn't known what the files list. */
export const UNKNOWN = '';

/** Longer lists are not adopted: they are beyond any real organization, and would fill this one. */
const MAX_LISTED = 5 * Math.max(LIMITS.legalHolds, LIMITS.exclusions);
const ms = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const user = uuidSchema<UserId>();
const PROTECTIONS = v.object({
  version: v.literal(1),
  organization: uuidSchema<OrganizationId>(),
  /** The tenant's id at Microsoft; null: unknown. */
  directory: v.nullable(v.string()),
  holds: v.pipe(
    v.array(
      v.object({
        kind: v.picklist(HOLD_KINDS),
        object: directoryId,
        name: nameText(),
        reason: holdReason,
        user,
        until: v.nullable(ms),
        at: ms,
      }),
    ),
    v.maxLength(MAX_LISTED),
  ),
  /** People by their ids in the directory; no names. */
  excluded: v.pipe(
    v.array(v.object({ object: directoryId, user, at: ms })),
    v.maxLength(MAX_LISTED),
  ),
  /** People whose exclusion has ended, and whose backups are still being removed. */
  removing: v.array(directoryId),
});
const LINE = v.object({ protections: PROTECTIONS });

/** The legal holds and exclusions that a repository lists. */
export type Protections = v.InferOutput<typeof PROTECTIONS>;

/** Whether a snapshot is no restore point, but lists legal holds and exclusions. */
export const isProtections = ({ tags }: Pick<Snapshot, 'tags'>): boolean => tags.includes(TAG);

/** Returns what a repository has to list now; null: nothing. */
export async function loadProtections(
  tx: TenantTx,
  { id: repository, organization: id }: Pick<BackupRepositoryRow, 'id' | 'organization'>,
  now: Ms,
): Promise<Protections | null> {
  const row = (await tx.rows('organization', [id])).get(id);
  if (row === undefined) return null;
  const { rows: leaving } = await sql<{ readonly object: string }>`
    select distinct directory_id as object from backup_object
    where tenant_id = ${tx.tenant} and repository_id = ${repository} and excluded_at is not null and erased_at is null
    order by directory_id`.execute(tx.sql);
  const excluded = getActiveExclusions(row).map(({ object, user: by, at }) => ({
    object,
    user: by,
    at,
  }));
  const known = new Set(excluded.map(({ object }) => object));
  const removing = leaving.flatMap(({ object }) => (known.has(object) ? [] : [object]));
  const holds = getActiveHolds(row, now).map(
    ({ kind, object, name, reason, user: by, until, at }) => ({
      kind,
      object,
      name,
      reason,
      user: by,
      until,
      at,
    }),
  );
  if (holds.length + excluded.length + removing.length === 0) return null;
  return { version: 1, organization: id, directory: row.directoryId, holds, excluded, removing };
}

/** Whether a clean-up has to write the list of the repository again. */
export async function isOutdated(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  now: Protections | null,
): Promise<boolean> {
  const row = await db
    .selectFrom('repository_access')
    .select('protections')
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .executeTakeFirst();
  return row !== undefined && row.protections !== format(now);
}

/** Stores what was written. */
export const storeProtections = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  written: Protections | null,
): Promise<void> => {
  await db
    .updateTable('repository_access')
    .set({ protections: format(written) })
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .execute();
};

const format = (protections: Protections | null): string | null =>
  protections === null ? null : JSON.stringify(protections);

/**
 * Writes the list into the repository. Returns the snapshots that this replaces. Can be repeated
 * after a crash.
 */
export async function writeProtections(
  opened: Repository,
  protections: Protections | null,
  at: Ms,
): Promise<EngineResult<readonly string[]>> {
  const snapshots = await opened.listSnapshots(() => undefined);
  if (!snapshots.ok) return snapshots;
  const replaced = snapshots.value.filter(isProtections).map(({ id }) => id);
  if (protections === null) return ok(replaced);
  const metadata = await metadataNode(opened, [{ protections }]);
  if (!metadata.ok) return metadata;
  const tree = await opened.saveTree(metadata.value);
  if (!tree.ok) return tree;
  const flushed = await opened.flush();
  if (!flushed.ok) return flushed;
  const saved = await opened.saveSnapshot({
    at,
    tree: tree.value.id,
    parent: null,
    paths: ['/'],
    tags: ['daybook', TAG],
    username: 'daybook',
  });
  return saved.ok ? ok(replaced.filter((id) => id !== saved.value)) : saved;
}

/** Returns the newest readable list of some snapshots; null: none. */
export async function readProtections(
  opened: Repository,
  snapshots: readonly Snapshot[],
): Promise<EngineResult<Protections | null>> {
  const newest = snapshots.filter(isProtections).toSorted((a, b) => b.at - a.at);
  for (const { tree } of newest) {
    const nodes = await opened.readTree(tree);
    if (!nodes.ok && nodes.error.kind !== 'damaged' && nodes.error.kind !== 'missing') return nodes;
    const file = nodes.ok ? nodes.value.find(({ name }) => name === METADATA_NAME) : undefined;
    if (file?.kind !== 'file') continue;
    const lines = await readMetadata(opened, file.content);
    if (!lines.ok && lines.error.kind !== 'damaged' && lines.error.kind !== 'missing') return lines;
    const parsed = v.safeParse(LINE, lines.ok ? lines.value[0] : null);
    if (parsed.success) return ok(parsed.output.protections);
  }
  return ok(null);
}

/** Returns whether the files of a repository list just this. */
export async function hasProtections(
  opened: Repository,
  protections: Protections | null,
): Promise<EngineResult<boolean>> {
  const snapshots = await opened.listSnapshots(() => undefined);
  if (!snapshots.ok) return snapshots;
  const listed = await readProtections(opened, snapshots.value);
  return listed.ok ? ok(isDeepStrictEqual(listed.value, protections)) : listed;
}
