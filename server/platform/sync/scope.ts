import { createHash } from 'node:crypto';
import type { CompanyN } from '#contract/ids.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { readableBy } from './readable.ts';
import type { Readable } from './readable.ts';

/**
 * What a user gets of the log (SYNC-6): its companies, and of what there is of them what its
 * abilities let it read.
 */
export interface Scope {
  readonly companies: ReadonlySet<CompanyN> | null;
  /** Within its reach, and out of everybody's scope. */
  readonly deleted: ReadonlySet<CompanyN>;
  readonly reads: ReadonlySet<Readable>;
  /**
   * The user whose personal events are included; null for a call with an API key (KEY-3).
   */
  readonly self: string | null;
  readonly own: string;
}

export const scopeOf = ({
  deleted = [],
  ...session
}: Pick<Principal, 'userId' | 'roles' | 'companies' | 'deleted' | 'key'>): Scope => ({
  companies:
    session.companies === null
      ? null
      : new Set(session.companies.filter((n) => !deleted.includes(n))),
  deleted: new Set(deleted),
  reads: readableBy(session),
  self: session.key === undefined ? session.userId : null,
  own: session.userId,
});

export const seesCompany = (scope: Scope, company: CompanyN): boolean =>
  !scope.deleted.has(company) && (scope.companies === null || scope.companies.has(company));

/**
 * Whether a user is the scope's own or looks after one of its companies too. Whoever sees no company
 * shares none, not even with users of all companies.
 */
export const sharesCompany = (
  { companies, own }: Scope,
  user: { readonly id: string; readonly companies: readonly CompanyN[] | null },
): boolean =>
  companies === null ||
  user.id === own ||
  (companies.size > 0 && (user.companies === null || user.companies.some((n) => companies.has(n))));

/** A shared list may name any company: it is for those who see them all. */
export const seesView = (
  scope: Scope,
  view: { readonly owner: string; readonly shared: boolean },
): boolean => view.owner === scope.own || (view.shared && scope.companies === null);

/**
 * The epoch for this scope. What the scope may read is part of it, so that a device
 * holding data of another scope (its user's roles changed, or what a role may read did in a newer
 * version) reloads everything at its next contact, even without an event about the change.
 */
export function epochFor(epoch: string, { companies, reads, self }: Scope): string {
  const rights = JSON.stringify([
    [...reads].sort(),
    companies === null ? null : [...companies].sort((a, b) => a - b),
    self !== null,
  ]);
  return `${epoch}.${createHash('sha256').update(rights).digest('hex').slice(0, 12)}`;
}
