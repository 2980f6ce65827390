import type { Logged } from '#contract/events.ts';
import type { CompanyN } from '#contract/ids.ts';
import type { Signed } from '#server/http/handler.ts';
import { may } from '#server/may.ts';

/** What a user gets of the log (SYNC-6): its companies, and of the provider as a whole what its abilities are for. */
export interface Scope {
  readonly companies: ReadonlySet<CompanyN> | null;
  /** Within its reach, and out of everybody's scope. */
  readonly deleted: ReadonlySet<CompanyN>;
  readonly keys: boolean;
  readonly own: string;
}

export const scopeOf = ({ deleted = [], ...signed }: Pick<Signed, 'userId' | 'roles' | 'companies' | 'deleted' | 'key'>): Scope => ({
  companies: signed.companies === null ? null : new Set(signed.companies.filter((n) => !deleted.includes(n))),
  deleted: new Set(deleted),
  keys: may(signed, 'monitoring.sources'),
  own: signed.userId,
});

export const seesCompany = (scope: Scope, company: CompanyN): boolean => !scope.deleted.has(company) && (scope.companies === null || scope.companies.has(company));

/** A shared list may name any company: it is for those who see them all. */
export const seesView = (scope: Scope, view: { readonly owner: string; readonly shared: boolean }): boolean =>
  view.owner === scope.own || (view.shared && scope.companies === null);

export function sees(scope: Scope, { event, company }: Pick<Logged, 'event' | 'company'>): boolean {
  // That it is gone is the last that one hears of a company.
  if (event.type === 'company.deleted@1' && scope.deleted.has(event.data.n)) return true;
  if (company !== null && !seesCompany(scope, company)) return false;
  const [noun] = event.type.split('.');
  switch (noun) {
    // What went wrong at others is in its words: those of what one sees come with it.
    case 'cause': return scope.companies === null;
    case 'user': return event.type !== 'user.made@1' && event.data !== null && 'id' in event.data && event.data.id === scope.own;
    case 'key': return scope.keys;
    case 'view': return 'shared' in event.data && seesView(scope, event.data);
    case 'shift': return scope.companies === null;
    case 'computer': case 'repository': case 'ticket': case 'rule': case 'rules': case 'hint': return false; // asked for when their pages are opened, not kept on devices
    default: return true;
  }
}
