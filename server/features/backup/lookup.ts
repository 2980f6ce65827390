import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { toScope, isCompanyInScope } from '#server/platform/sync/scope.ts';
import type { BackupJobId, BackupRepositoryId, OrganizationId } from '#contract/ids.ts';

/**
 * A company by number or id, an organization, a repository, a job: null if it doesn't exist, was
 * deleted, or belongs to a company that the caller doesn't see.
 */
export async function findVisibleCompany(
  tx: TenantTx,
  session: Principal,
  ref: number | string,
): Promise<CompanyRow | null> {
  const company = (await tx.all('company')).find(({ n, id }) => n === ref || id === ref);
  return company?.deletedAt === undefined &&
    company &&
    isRowVisible(session, { company: company.n })
    ? company
    : null;
}

export const findOrganization = async (
  tx: TenantTx,
  session: Principal,
  id: OrganizationId,
): Promise<OrganizationRow | null> => {
  const row = (await tx.rows('organization', [id])).get(id);
  if (session.operators === undefined) return seen(session, row);
  return row?.removedAt === null && hasOperatorIn(session, id) ? row : null;
};

/** Restore operators see the organizations in which they restore. */
const hasOperatorIn = ({ operators = [] }: Principal, organization: OrganizationId): boolean =>
  operators.some((one) => one.organization === organization);

export const findRepository = async (
  tx: TenantTx,
  session: Principal,
  id: BackupRepositoryId,
): Promise<BackupRepositoryRow | null> =>
  seen(session, (await tx.rows('backupRepository', [id])).get(id));

/** `organizationId`: the job must belong to it. */
export async function findJob(
  tx: TenantTx,
  session: Principal,
  id: BackupJobId,
  organizationId?: OrganizationId,
): Promise<BackupJobRow | null> {
  const job = seen(session, (await tx.rows('backupJob', [id])).get(id));
  return organizationId === undefined || job?.organization === organizationId ? job : null;
}

/** A job with its organization. */
export async function findJobWithOwner(
  tx: TenantTx,
  session: Principal,
  id: BackupJobId,
  organizationId?: OrganizationId,
): Promise<{ readonly job: BackupJobRow; readonly organization: OrganizationRow } | null> {
  const job = await findJob(tx, session, id, organizationId);
  const organization =
    job && (await tx.rows('organization', [job.organization])).get(job.organization);
  return job && organization ? { job, organization } : null;
}

/** A repository with its organization. */
export async function findRepositoryWithOwner(
  tx: TenantTx,
  session: Principal,
  id: BackupRepositoryId,
): Promise<{
  readonly repository: BackupRepositoryRow;
  readonly organization: OrganizationRow;
} | null> {
  const repository = await findRepository(tx, session, id);
  const organization =
    repository &&
    (await tx.rows('organization', [repository.organization])).get(repository.organization);
  return repository && organization ? { repository, organization } : null;
}

interface CompanyOwned {
  readonly company: number;
  readonly removedAt?: number | null;
}

export const isRowVisible = (session: Principal, row: CompanyOwned): boolean =>
  (row.removedAt ?? null) === null && isCompanyInScope(toScope(session), row.company);

const seen = <R extends CompanyOwned>(session: Principal, row: R | undefined): R | null =>
  row !== undefined && isRowVisible(session, row) ? row : null;

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
export const compareByName = <R extends { readonly name: string; readonly id: string }>(
  a: R,
  b: R,
): number => collator.compare(a.name, b.name) || (a.id < b.id ? -1 : 1);

const PAGE_ROWS = 200;

/** Returns a page of rows that are all available. The cursor is the number of rows before it. */
export function pageFrom<R>(
  rows: readonly R[],
  {
    cursor,
    limit = PAGE_ROWS,
  }: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
): { readonly rows: R[]; readonly next: string | null; readonly count: number } {
  const first = /^\d{1,9}$/.test(cursor ?? '') ? Number(cursor) : 0;
  const end = first + limit;
  return {
    rows: rows.slice(first, end),
    next: end < rows.length ? String(end) : null,
    count: rows.length,
  };
}
