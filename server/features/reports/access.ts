import type { CompanyN, UserId } from '#contract/ids.ts';
import { hasAuthorityOver } from '#contract/users/authority.ts';
import type { TemplateAbout } from '#contract/reports/template.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { sql } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';

/** What somebody may see, asked of this moment. */
export type Rights = Pick<Principal, 'userId' | 'roles' | 'companies' | 'deleted' | 'key'>;

/** REPORT-1: the ability, and a place in the provider's list of who sees scheduled reports. */
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
 * Numbers of licences are for those who see licensing; other providers' numbers for those who see
 * the whole of this one.
 */
export function mayUse(
  { key, customers }: Pick<TemplateAbout, 'key' | 'customers'>,
  rights: Pick<Rights, 'roles' | 'companies' | 'key'>,
): boolean {
  if (key === 'licenseStorageReport') return hasAbility(rights, 'monitoring.licensing');
  return customers !== 'none' || rights.companies === null;
}

/** Null where there is nobody of this id any more. */
export async function rightsOf(tx: TenantTx, id: UserId): Promise<Rights | null> {
  const user = (await tx.rows('user', [id])).get(id);
  if (!user || user.deletedAt !== null) return null;
  const deleted = (await deletedIn(tx)).filter(
    (n) => user.companies === null || user.companies.includes(n),
  );
  return {
    userId: user.id,
    roles: user.roles,
    companies: user.companies && user.companies.filter((n) => !deleted.includes(n)),
    deleted,
  };
}

export const deletedIn = async ({ sql: db, tenant }: TenantTx): Promise<readonly CompanyN[]> =>
  (
    await db
      .selectFrom('company')
      .select('n')
      .where('tenant_id', '=', tenant)
      .where(sql`row->>'deletedAt'`, 'is not', null)
      .execute()
  ).map(({ n }) => n);

/** Whether all of these companies are seen; null is all there are. */
export const seesAll = (
  { companies, deleted = [] }: Pick<Rights, 'companies' | 'deleted'>,
  asked: readonly CompanyN[] | null,
): boolean =>
  asked === null
    ? companies === null
    : asked.every((n) => (companies === null || companies.includes(n)) && !deleted.includes(n));

/**
 * Whose reports a user may see and change: their own and, with all companies, those of users
 * over whom it has authority. Who is deleted counts with the last roles.
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
