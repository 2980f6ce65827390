import type { CompanyN, UserId } from '#contract/ids.ts';
import { getCategories } from '#contract/notifications/notifications.ts';
import type { NotifyCategory } from '#contract/notifications/notifications.ts';
import { loadBranding } from '#server/platform/tenancy/branding.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { NotificationFact } from './fact.ts';

/**
 * What a user can be notified of, by their current rights. `companies` is null for all; nobody sees
 * those in `deleted`.
 */
export interface NotifiedUser {
  readonly id: UserId;
  readonly companies: ReadonlySet<CompanyN> | null;
  readonly deleted: ReadonlySet<CompanyN>;
  readonly categories: readonly NotifyCategory[];
}

/** Returns the listeners for these users, without deleted ones. */
export async function loadListeners(
  tx: TenantTx,
  ids: readonly UserId[],
): Promise<ReadonlyMap<UserId, NotifiedUser>> {
  if (ids.length === 0) return new Map();
  const users = await tx.rows('user', [...new Set(ids)]);
  const { features } = await loadBranding(tx);
  const deleted = await loadDeletedCompanies(tx);
  return new Map(
    [...users.values()].flatMap(({ id, roles, companies, deletedAt }): [UserId, NotifiedUser][] =>
      deletedAt === null
        ? [
            [
              id,
              {
                id,
                companies: companies && new Set(companies),
                deleted,
                categories: getCategories(roles, features),
              },
            ],
          ]
        : [],
    ),
  );
}

export const loadDeletedCompanies = async (tx: TenantTx): Promise<ReadonlySet<CompanyN>> =>
  new Set(
    (await tx.all('company')).flatMap(({ n, deletedAt }) => (deletedAt === undefined ? [] : [n])),
  );

/**
 * NOTIFY-1: returns whether a listener is notified of a fact: they can open its page and see all of
 * its companies.
 */
export const hears = (
  { companies, deleted, categories }: NotifiedUser,
  fact: Pick<NotificationFact, 'category' | 'companies'>,
): boolean =>
  categories.includes(fact.category) &&
  (fact.companies === null
    ? companies === null
    : fact.companies.every((n) => !deleted.has(n) && (companies === null || companies.has(n))));
