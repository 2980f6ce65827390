import { sql } from 'kysely';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { DamagedItem, VerificationRequest } from '#contract/engine/repositories.ts';
import type { BackupRepositoryId, Bytes, Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { RepositoryUpkeep } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { hasNoJob, scheduleUpkeep } from '#server/platform/jobs/schedule.ts';
import { FAILED } from '../index/marks.ts';
import { mark } from '../index/pages.ts';
import type { BlobRef, CheckReport } from '../restic/check.ts';
import type { Repository } from '../restic/repository.ts';
import { accessMessages as t } from '../organizations/messages.en.ts';
import { noteRequestWait, storeRequest } from './requests.ts';
import { isReserved, LOOK_AGAIN_MS } from './reservation.ts';

const EVERY_MS: Ms = 24 * 60 * 60_000;
/** Everything is read within this many days, a part each day. */
const MAX_DAYS = 30;
/** A small repository is read in fewer days. */
const MIN_BYTES_PER_DAY: Bytes = 1 << 30;
const MAX_ITEMS = 100;
/** What was read for this long is stored, so that an interruption repeats no more. */
const STORED_MS: Ms = 10 * 60_000;

interface Place {
  openRepository(
    tenant: TenantId,
    repository: BackupRepositoryId,
  ): Promise<EngineResult<Repository>>;
}

/** Every repository is verified, a part each day. */
export async function scheduleVerifications(tx: TenantTx, now: Ms): Promise<void> {
  const rows = await tx.sql
    .selectFrom('repository_access')
    .select('repository_id')
    .where('tenant_id', '=', tx.tenant)
    .where(hasNoJob(tx, 'repository-verification', 'repository_id'))
    .execute();
  const known = await tx.rows(
    'backupRepository',
    rows.map(({ repository_id }) => repository_id),
  );
  for (const { id, removedAt } of known.values())
    if (removedAt === null) await scheduleUpkeep(tx, 'repository-verification', id, now);
}

/**
 * Reads and checks a part of a repository. What is damaged is noted with the items that it is part
 * of: the next session reads those again from the source, and so heals all points that have them.
 */
export const repositoryVerification =
  (context: AppContext, place: Place): JobHandler<'repository-verification'> =>
  async ({ tenant, now, signal, payload: { repository } }) => {
    const stored = await context.store.tenant(tenant, (tx) => load(tx, repository, now), {
      readOnly: true,
    });
    if (stored === null) return null;
    const wait = async (message: string): Promise<Ms> => {
      await noteRequestWait(context, tenant, repository, 'verification', message);
      return now + LOOK_AGAIN_MS;
    };
    if (stored.isReserved) return wait(t.cleanUpFirst);
    const opened = await place.openRepository(tenant, repository);
    if (!opened.ok) {
      const next = await wait(opened.error.message);
      if (opened.error.kind === 'busy') return next;
      throw new Error(opened.error.message);
    }
    try {
      const size = await opened.value.measure();
      if (!size.ok) throw new Error(size.error.message);
      const days = Math.min(MAX_DAYS, Math.max(1, Math.ceil(size.value / MIN_BYTES_PER_DAY)));
      const { request } = stored;
      // The parts stay the same until all of them are read.
      const { part = 0, of = days } =
        request === null
          ? stored.upkeep
          : { part: request.parts.done, of: request.parts.total ?? days };
      const { damaged = [] } = stored.upkeep;
      const requestedAt = request?.requestedAt ?? null;
      const startedAt = context.clock.now();
      const report = await opened.value.check({
        readData: {
          part,
          of,
          after: getPlace(stored.upkeep, { part, of, requestedAt }),
          isOver: () => signal.aborted || context.clock.now() - startedAt >= STORED_MS,
        },
        isQuick: true,
      });
      if (!report.ok) throw new Error(report.error.message);
      const pack = report.value.readUntil;
      const damage = await mergeDamage(opened.value, damaged, report.value);
      const done = pack === null ? part + 1 : part;
      const isComplete = done >= of;
      await context.store.tenant(tenant, async (tx) => {
        const items = await noteDamage(tx, repository, damage);
        if (hasMore(damage, damaged)) await rewriteFolders(tx, repository);
        await store(tx, stored, {
          upkeep: {
            ...(isComplete ? {} : { part: done, of }),
            ...(pack !== null && { after: { pack, requestedAt } }),
            ...(hasMore(damaged, damage) && { repack: true }),
            damaged: damage,
            items: items.slice(0, MAX_ITEMS),
          },
          count: items.length,
          isComplete,
          at: context.clock.now(),
        });
        if (request !== null)
          await storeRequest(tx, repository, {
            verification: {
              ...request,
              endedAt: isComplete ? context.clock.now() : null,
              message: null,
              parts: { done, total: of },
              damaged: items.length,
            },
          });
      });
      const goesOn = pack !== null || (request !== null && !isComplete);
      return goesOn ? context.clock.now() : now + EVERY_MS;
    } finally {
      await opened.value.close();
    }
  };

/** Returns the pack after which this part continues; undefined: it begins. */
const getPlace = (
  upkeep: RepositoryUpkeep,
  wanted: { readonly part: number; readonly of: number; readonly requestedAt: Ms | null },
): string | undefined =>
  upkeep.part === wanted.part &&
  upkeep.of === wanted.of &&
  upkeep.after?.requestedAt === wanted.requestedAt
    ? upkeep.after.pack
    : undefined;

interface Stored {
  readonly repository: BackupRepositoryId;
  readonly company: number;
  /** Items that were known to be damaged. */
  readonly count: number;
  readonly upkeep: RepositoryUpkeep;
  /** A person waits for it. */
  readonly request: VerificationRequest | null;
  /** A clean-up comes first. */
  readonly isReserved: boolean;
}

async function load(tx: TenantTx, repository: BackupRepositoryId, now: Ms): Promise<Stored | null> {
  const row = (await tx.rows('backupRepository', [repository])).get(repository);
  if (row?.removedAt !== null) return null;
  const access = await tx.sql
    .selectFrom('repository_access')
    .select(['upkeep', 'requests'])
    .where('tenant_id', '=', tx.tenant)
    .where('repository_id', '=', repository)
    .executeTakeFirst();
  if (access === undefined) return null;
  const { company, damaged: count } = row;
  const { verification } = access.requests;
  const request = verification?.endedAt === null ? verification : null;
  return {
    repository,
    company,
    count,
    upkeep: access.upkeep,
    request,
    isReserved: await isReserved(tx, repository, now),
  };
}

/** Returns what is damaged now: what was found, and what was known and has no good copy yet. */
async function mergeDamage(
  repository: Repository,
  known: readonly BlobRef[],
  { lost }: CheckReport,
): Promise<readonly BlobRef[]> {
  const damaged = new Map(lost.map((blob) => [`${blob.type} ${blob.id}`, blob]));
  for (const blob of known) {
    const key = `${blob.type} ${blob.id}`;
    if (!damaged.has(key) && !(await repository.readBlob(blob.type, blob.id)).ok)
      damaged.set(key, blob);
  }
  return [...damaged.values()];
}

/**
 * Marks what has to be read or written again, and returns the items that lost something. Those that
 * the source no longer has can't be repaired.
 */
async function noteDamage(
  tx: TenantTx,
  repository: BackupRepositoryId,
  damaged: readonly BlobRef[],
): Promise<readonly DamagedItem[]> {
  if (damaged.length === 0) return [];
  const { sql: db, tenant } = tx;
  const ids = damaged.filter(({ type }) => type === 'data').map(({ id }) => id);
  const { rows } = await sql<
    DamagedItem & { readonly n: number; readonly key: string; readonly isCurrent: boolean }
  >`
    select o.n, o.name as object, i.key, i.title, i.at, i.to_point is null as "isCurrent" from item as i
    join backup_object as o on o.tenant_id = i.tenant_id and o.n = i.object_n
    where i.tenant_id = ${tenant} and o.repository_id = ${repository} and exists (
      select from jsonb_array_elements(i.parts) as p cross join jsonb_array_elements_text(p -> 'blobs') as b
      where b = any(${ids}::text[]))
    order by o.n, i.n`.execute(db);
  for (const [object, items] of Map.groupBy(rows, ({ n }) => n))
    await mark(
      tx,
      object,
      FAILED,
      items.filter(({ isCurrent }) => isCurrent).map(({ key }) => key),
    );
  return rows.map(({ object, title, at }) => ({ object, title, at }));
}

const hasMore = (damaged: readonly BlobRef[], known: readonly BlobRef[]): boolean =>
  damaged.some(({ id }) => known.every((one) => one.id !== id));

/** The next session writes all folders again, also the files with what the index knows. */
const rewriteFolders = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<void> => {
  await db
    .updateTable('backup_object')
    .set({ tree: null })
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .execute();
};

async function store(
  tx: TenantTx,
  { repository, company, count: before }: Stored,
  {
    upkeep,
    count,
    isComplete,
    at,
  }: {
    readonly upkeep: RepositoryUpkeep;
    readonly count: number;
    readonly isComplete: boolean;
    readonly at: Ms;
  },
): Promise<void> {
  // What a clean-up has noted meanwhile stays.
  const present = sql`upkeep - 'part' - 'of' - 'after'`;
  await tx.sql
    .updateTable('repository_access')
    .set({
      upkeep: sql`${present} || ${JSON.stringify(upkeep)}::text::jsonb`,
      ...(isComplete && { verified_at: at }),
    })
    .where('tenant_id', '=', tx.tenant)
    .where('repository_id', '=', repository)
    .execute();
  if (!isComplete && count === before) return;
  await tx.append(
    [
      {
        company,
        entity: `backuprepository:${repository}`,
        event: {
          type: 'backuprepository.verified@1',
          data: { id: repository, damaged: count, ...(isComplete ? {} : { partial: true }) },
        },
      },
    ],
    { actor: { kind: 'clock' }, subject: null, commandId: null, at },
  );
}
