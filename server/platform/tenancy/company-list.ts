import type { CompanyN, UserId } from '#contract/ids.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { NO_APPLICATIONS } from '#contract/companies/company-fields.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { Principal } from '../http/handler.ts';
import type { TenantTx } from '../db/store.ts';

/** Returns whether a user sees a company. */
export const seesCompany = (
  { companies }: Pick<Principal, 'companies'>,
  { n, deletedAt }: Pick<CompanyRow, 'n' | 'deletedAt'>,
): boolean => deletedAt === undefined && (companies === null || companies.includes(n));

export interface CompanyQuery {
  readonly search?: string | undefined;
  readonly sort?: 'name' | '-name' | 'madeAt' | '-madeAt' | undefined;
}

/** Returns the companies that a user sees, in order. */
export async function findCompanies(
  tx: TenantTx,
  session: Principal,
  { search = '', sort = 'name' }: CompanyQuery = {},
): Promise<CompanyRow[]> {
  const term = search.toLowerCase();
  const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  const down = sort.startsWith('-');
  const order = (a: CompanyRow, b: CompanyRow): number =>
    sort.endsWith('name') ? names.compare(a.name, b.name) : a.madeAt - b.madeAt;
  return (await tx.all('company'))
    .filter(
      (company) =>
        seesCompany(session, company) &&
        (term === '' ||
          company.name.toLowerCase().includes(term) ||
          (company.veeamId ?? '').toLowerCase().includes(term)),
    )
    .sort((a, b) => (down ? -order(a, b) : order(a, b)) || a.n - b.n);
}

/** Returns a company by its id, if the user sees it. */
export const loadCompany = async (
  tx: TenantTx,
  session: Principal,
  id: string,
): Promise<CompanyRow | null> =>
  (await tx.all('company')).find((company) => company.id === id && seesCompany(session, company)) ??
  null;

export async function listedCompanies(
  tx: TenantTx,
  session: Principal,
  companies: readonly CompanyRow[],
): Promise<CompanyListed[]> {
  const people = new Map(
    (
      await tx.sql
        .selectFrom('person')
        .select(['id', 'name', 'username'])
        .where('tenant_id', '=', tx.tenant)
        .execute()
    ).map((one) => [one.id, one]),
  );
  const usersByCompany = new Map<CompanyN, CompanyListed['users']>(
    companies.map(({ n }) => [n, []]),
  );
  const findPerson = (id: UserId): CompanyListed['users'] => {
    const one = people.get(id);
    return one ? [{ _id: one.id, name: one.name, username: one.username }] : [];
  };
  for (const user of await tx.all('user')) {
    if (user.deletedAt !== null || !isAllowed(session, user.companies)) continue;
    for (const n of user.companies ?? []) usersByCompany.get(n)?.push(...findPerson(user.id));
  }
  const jobs = new Map(
    (
      await tx.sql
        .selectFrom('job')
        .select(['company_n', (e) => e.fn.countAll<number>().as('jobs')])
        .where('tenant_id', '=', tx.tenant)
        .groupBy('company_n')
        .execute()
    ).map(({ company_n: n, jobs: count }) => [n, count]),
  );
  const keys = new Map<CompanyN, number>();
  for (const { company, revokedAt } of await tx.all('key'))
    if (revokedAt === null) keys.set(company, (keys.get(company) ?? 0) + 1);
  const organizations = await tx.all('organization');
  return companies.map((one) => ({
    _id: one.id,
    n: one.n,
    name: one.name,
    applications: withOrganizations(one, organizations),
    veeamId: one.veeamId ?? null,
    users: usersByCompany.get(one.n) ?? [],
    notify: (one.notify ?? []).flatMap(findPerson),
    madeAt: one.madeAt,
    jobs: jobs.get(one.n) ?? 0,
    keys: keys.get(one.n) ?? 0,
  }));
}

/**
 * Adds the organizations that are backed up for a company to those that were entered by hand. An
 * entered one that was backed up here counts only as long as it is.
 */
function withOrganizations(
  { n, applications = NO_APPLICATIONS }: CompanyRow,
  organizations: readonly OrganizationRow[],
): CompanyListed['applications'] {
  const { office365 } = applications;
  const known = new Set<string>(organizations.map(({ id }) => id));
  const own = organizations.filter(({ company, removedAt }) => company === n && removedAt === null);
  return {
    ...applications,
    office365: {
      ...office365,
      organizations: [
        ...own.map(({ id }) => ({ id })),
        ...office365.organizations.filter(({ id }) => !known.has(id)),
      ],
    },
  };
}

/** An administrator of some companies doesn't see users who also have others. */
const isAllowed = ({ companies }: Principal, of: readonly CompanyN[] | null): boolean =>
  companies === null || (of !== null && of.every((n) => companies.includes(n)));
