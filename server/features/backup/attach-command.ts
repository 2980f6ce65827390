import { isSameName } from '#contract/backup/same-name.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { AttachProgress, S3Storage } from '#contract/engine/repositories.ts';
import { KEEP, type RetentionType } from '#contract/backup/retention.ts';
import type { BackupRepositoryId, OrganizationId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { getEngine } from './engine-calls.ts';
import { newRepository, withLock } from './repository-fields.ts';

interface Request {
  readonly repository: BackupRepositoryId;
  /** Its ID, name or domain. */
  readonly organization: string;
  readonly password: string;
  /** Null: a folder of the server. */
  readonly storage: S3Storage | null;
  readonly retentionType: RetentionType;
}
export type AttachStart =
  | { readonly kind: 'begun'; readonly organization: OrganizationRow }
  | { readonly kind: 'no-organization' }
  | { readonly kind: 'refused'; readonly message: string };

/** Begins to attach a repository for an operator of the server. It retains all its points. */
export async function beginAttaching(
  context: AppContext,
  tenant: TenantId,
  { repository, organization: wanted, password, storage, retentionType }: Request,
): Promise<AttachStart> {
  const organization = await context.store.tenant(tenant, (tx) => find(tx, wanted), {
    readOnly: true,
  });
  if (organization === null) return { kind: 'no-organization' };
  const begun = await getEngine(context).repositories.attach(
    { tenant, organization: organization.id, user: null },
    {
      repository,
      password,
      storage,
      directoryId: organization.directoryId,
      isRetainedForever: false,
    },
  );
  if (!begun.ok) return { kind: 'refused', message: begun.error.message };
  const at = context.clock.now();
  await context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    if ((await tx.rows('backupRepository', [repository])).has(repository)) return;
    const rows = await tx.all('backupRepository');
    const isTaken = rows.some(
      ({ company, name, removedAt }) =>
        removedAt === null &&
        company === organization.company &&
        isSameName(name, organization.name),
    );
    const name = isTaken ? `${organization.name} ${repository.slice(0, 8)}` : organization.name;
    const draft = newRepository(repository, organization, {
      repository: name,
      description: '',
      passwordDescription: '',
      retentionType,
      retentionPolicy: KEEP,
      proxy: null,
      storage: withLock(storage, begun.value),
    });
    await tx.append([draft], { actor: { kind: 'clock' }, subject: null, commandId: null, at });
  });
  return { kind: 'begun', organization };
}

const find = async (tx: TenantTx, wanted: string): Promise<OrganizationRow | null> =>
  (await tx.all('organization')).find(
    ({ id, name, officeName, removedAt }) =>
      removedAt === null &&
      (id === wanted || isSameName(officeName, wanted) || isSameName(name, wanted)),
  ) ?? null;

/** Returns how far it is. */
export async function loadAttachment(
  context: AppContext,
  tenant: TenantId,
  organization: OrganizationId,
  repository: BackupRepositoryId,
): Promise<EngineResult<AttachProgress | null>> {
  const scope = { tenant, organization, user: null };
  const usage = await getEngine(context).repositories.usage(scope, { repository });
  return usage.ok ? { ok: true, value: usage.value.attachment } : usage;
}
