import type { EngineResult } from '#contract/engine/engine.ts';
import type { AttachmentProblem } from '#contract/engine/repositories.ts';
import type { BackupRepositoryId, Ms, OrganizationId, TenantId } from '#contract/ids.ts';
import type { RepositoryAttachment } from '#server/platform/db/database-engine.ts';
import type { Chance, Clock } from '#server/platform/app-context.ts';
import type { Store, TenantTx } from '#server/platform/db/store.ts';
import type { Repository } from '../restic/repository.ts';
import { done, failed } from '../../result.ts';
import { attachMessages as t } from './messages.en.ts';

/** A repository whose index is being rebuilt, while its lock keeps everybody else away. */
export interface AttachRun {
  readonly store: Store;
  readonly tenant: TenantId;
  readonly repository: BackupRepositoryId;
  readonly organization: OrganizationId;
  /** The tenant's id at Microsoft; null: unknown. */
  readonly directory: string | null;
  readonly opened: Repository;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly signal: AbortSignal;
  /** How far it is, as it is stored. */
  progress: RepositoryAttachment;
}

/** Problems that are listed; the others are only counted. */
const MAX_PROBLEMS = 100;

/** Does a part of the work and stores how far it is with the problems it returns, in one transaction. */
export async function commit(
  run: AttachRun,
  change: Partial<RepositoryAttachment>,
  work: (tx: TenantTx) => Promise<void | readonly AttachmentProblem[]> = async () => {},
): Promise<void> {
  run.progress = await run.store.tenant(run.tenant, async (tx) => {
    const changed = { ...run.progress, ...change };
    const progress = { ...changed, ...withProblems(changed, (await work(tx)) ?? []) };
    await storeAttachment(tx, run.repository, progress);
    return progress;
  });
}

export const storeAttachment = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  attachment: RepositoryAttachment,
): Promise<void> => {
  await db
    .updateTable('repository_access')
    .set({ attachment: JSON.stringify(attachment) })
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .execute();
};

export const beginAttachment = (since: Ms): RepositoryAttachment => ({
  state: 'clearing',
  since,
  points: { done: 0, total: null },
  objects: { done: 0, total: null },
  object: 0,
  point: null,
  problems: [],
  problemCount: 0,
});

export const withProblems = (
  { problems, problemCount }: RepositoryAttachment,
  added: readonly AttachmentProblem[],
): Pick<RepositoryAttachment, 'problems' | 'problemCount'> => ({
  problems: [...problems, ...added].slice(0, MAX_PROBLEMS),
  problemCount: problemCount + added.length,
});

export const isAttachmentRunning = (attachment: RepositoryAttachment | null): boolean =>
  attachment !== null && attachment.state !== 'done';

export const checkSignal = ({ signal }: AttachRun): EngineResult<void> =>
  signal.aborted ? failed('ended', t.ended) : done;

/** Forgets the password. The files of the repository stay. */
export const forgetAccess = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<void> => {
  await db
    .deleteFrom('repository_access')
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .execute();
};

/** Whether the index of a repository is being rebuilt. */
export async function isAttaching(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<boolean> {
  const row = await db
    .selectFrom('repository_access')
    .select('attachment')
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .executeTakeFirst();
  return isAttachmentRunning(row?.attachment ?? null);
}
