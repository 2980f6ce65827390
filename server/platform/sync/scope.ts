import { createHash } from 'node:crypto';
import type { CompanyN, UserId } from '#contract/ids.ts';
import { READ_BY } from '#contract/sync/readable.ts';
import type { Readable } from '#contract/sync/readable.ts';
import { TABLES } from '#contract/tables.ts';
import type { ReplicatedTable, Tables } from '#contract/tables.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import type { Principal } from '#server/platform/http/handler.ts';

/**
 * What a user receives of the log (SYNC-6): its companies, and in them what its abilities let it
 * read.
 */
export interface SyncScope {
  readonly companies: ReadonlySet<CompanyN> | null;
  /** Companies within its reach that were deleted and nobody sees any more. */
  readonly deleted: ReadonlySet<CompanyN>;
  readonly reads: ReadonlySet<Readable>;
  /**
   * The user whose personal events are included; null for a call with an API key (KEY-3).
   */
  readonly self: string | null;
  readonly own: UserId;
}

export const toScope = ({
  deleted = [],
  ...session
}: Pick<Principal, 'userId' | 'roles' | 'companies' | 'deleted' | 'key'>): SyncScope => ({
  companies:
    session.companies === null
      ? null
      : new Set(session.companies.filter((n) => !deleted.includes(n))),
  deleted: new Set(deleted),
  reads: readableBy(session),
  self: session.key === undefined ? session.userId : null,
  own: session.userId,
});

const readableBy = (session: Pick<Principal, 'roles' | 'key'>): ReadonlySet<Readable> =>
  new Set(
    (Object.keys(READ_BY) as Readable[]).filter((one) =>
      READ_BY[one].some((ability) => hasAbility(session, ability)),
    ),
  );

/** Returns whether the scope may hold rows of the table at all. */
export function readsTable({ reads }: SyncScope, table: ReplicatedTable): boolean {
  const { readBy } = TABLES[table].scope;
  return readBy === 'self' || reads.has(readBy);
}

/** Returns whether the scope may hold this row, if it may hold rows of the table. */
export function seesRow<T extends ReplicatedTable>(
  scope: SyncScope,
  table: T,
  row: Tables[T],
): boolean {
  const { company, n, user, owner, shared } = row as unknown as ScopedRow;
  const { rows } = TABLES[table].scope;
  switch (rows) {
    case 'company':
      return isCompanyInScope(scope, company ?? n);
    case 'provider':
      return scope.companies === null;
    case 'self':
      return user === scope.own;
    case 'shared':
      return seesView(scope, { owner, shared });
    case 'problem':
      return true; // the bootstrap sends them for the problems that it sends
  }
}
/** The fields that a row has for its table's rule; `RowScope` of the registry checks that. */
interface ScopedRow {
  readonly company?: CompanyN;
  readonly n: CompanyN;
  readonly user: UserId;
  readonly owner: UserId;
  readonly shared: boolean;
}

export const isCompanyInScope = (scope: SyncScope, company: CompanyN): boolean =>
  !scope.deleted.has(company) && (scope.companies === null || scope.companies.has(company));

/**
 * Returns whether the user is the scope's own, or also has one of its companies. A user without
 * companies shares none, not even with users of all companies.
 */
export const sharesCompany = (
  { companies, own }: SyncScope,
  user: { readonly id: string; readonly companies: readonly CompanyN[] | null },
): boolean =>
  companies === null ||
  user.id === own ||
  (companies.size > 0 && (user.companies === null || user.companies.some((n) => companies.has(n))));

/** A shared list may name any company, so only users who see all of them get it. */
export const seesView = (
  scope: SyncScope,
  view: { readonly owner: string; readonly shared: boolean },
): boolean => view.owner === scope.own || (view.shared && scope.companies === null);

/**
 * Returns the epoch for this scope. It includes what the scope may read, so that a device with data
 * of another scope (its user's roles changed, or what a role may read did in a newer version)
 * reloads everything at its next contact, even without an event about the change.
 */
export function epochFor(epoch: string, { companies, reads, self }: SyncScope): string {
  const rights = JSON.stringify([
    [...reads].sort(),
    companies === null ? null : [...companies].sort((a, b) => a - b),
    self !== null,
  ]);
  return `${epoch}.${createHash('sha256').update(rights).digest('hex').slice(0, 12)}`;
}
