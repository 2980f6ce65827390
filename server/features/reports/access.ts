import type { CompanyN, UserId } from '#contract/ids.ts';
import { hasAuthorityOver } from '#contract/users/authority.ts';
import type { TemplateAbout } from '#contract/reports/template.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { sql } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';

/** A user's current rights. */
export type Rights = Pick<Principal, 'userId' | 'roles' | 'companies' | 'deleted' | 'key'>;

/**
 * REPORT-1: returns whether a user has the ability and a role in the provider's list of those who
 * see scheduled reports.
 */
export async function mayReport(
  { sql: db, tenant }: TenantTx,
  rights: Pick<Rights, 'roles' | 'key'>,
): Promise<boolean> {
  if (!hasAbility(rights, 'monitoring.report-settings')) return false;
  const {
    branding: { features },
  } = await db
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  const visibleFor = features.reporting?.visibleFor ?? ['all'];
  return visibleFor.includes('all') || rights.roles.some((role) => visibleFor.includes(role));
}

/**
 * License figures require access to licensing; figures of other providers require access to the
 * whole provider.
 */
export function mayUse(
  { key, customers }: Pick<TemplateAbout, 'key' | 'customers'>,
  rights: Pick<Rights, 'roles' | 'companies' | 'key'>,
): boolean {
  if (key === 'licenseStorageReport') return hasAbility(rights, 'monitoring.licensing');
  return customers !== 'none' || rights.companies === null;
}

/** Returns null if the user does not exist or was deleted. */
export async function loadRights(tx: TenantTx, id: UserId): Promise<Rights | null> {
  const user = (await tx.rows('user', [id])).get(id);
  if (!user || user.deletedAt !== null) return null;
  const deleted = (await loadDeletedCompanyList(tx)).filter(
    (n) => user.companies === null || user.companies.includes(n),
  );
  return {
    userId: user.id,
    roles: user.roles,
    companies: user.companies && user.companies.filter((n) => !deleted.includes(n)),
    deleted,
  };
}

export const loadDeletedCompanyList = async ({
  sql: db,
  tenant,
}: TenantTx): Promise<readonly CompanyN[]> =>
  (
    await db
      .selectFrom('company')
      .select('n')
      .where('tenant_id', '=', tenant)
      .where(sql`row->>'deletedAt'`, 'is not', null)
      .execute()
  ).map(({ n }) => n);

/** Returns whether the user sees all of these companies; null stands for all companies. */
export const seesAll = (
  { companies, deleted = [] }: Pick<Rights, 'companies' | 'deleted'>,
  request: readonly CompanyN[] | null,
): boolean =>
  request === null
    ? companies === null
    : request.every((n) => (companies === null || companies.includes(n)) && !deleted.includes(n));

/**
 * Returns the owners whose reports a user can see and change: themselves and, with access to all
 * companies, users over whom they have authority. A deleted user counts with their last roles.
 */
export async function manageableOwners(
  tx: TenantTx,
  rights: Pick<Rights, 'userId' | 'roles' | 'companies' | 'key'>,
): Promise<ReadonlySet<UserId>> {
  if (rights.companies !== null) return new Set([rights.userId]);
  return new Set([
    rights.userId,
    ...(await tx.all('user')).filter((user) => hasAuthorityOver(rights, user)).map(({ id }) => id),
  ]);
}
