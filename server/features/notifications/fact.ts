import { withoutBidi } from '#contract/bidi.ts';
import type { CompanyN } from '#contract/ids.ts';
import type { NotifyCategory } from '#contract/notifications/notifications.ts';

/**
 * Something that happened, or that stands. `subject`: names it within its category. `companies`:
 * whose it is, all of which one has to see; null: of the provider as a whole. `link`: the address
 * of its view in the portal. `line`: it in a line, for a mail. `data`: it for machines.
 */
export interface Fact {
  readonly category: NotifyCategory;
  readonly subject: string;
  readonly companies: readonly CompanyN[] | null;
  readonly link: string;
  readonly line: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The view of several facts of a category: of one company alone, where they are. */
export function viewOf(category: NotifyCategory, company: CompanyN | null): string {
  const of = company === null ? '' : `&company=${company}`;
  switch (category) {
    case 'failed':
      return `/monitoring/daily-checks?state=Failed,Error${of}`;
    case 'missed':
      return `/monitoring/daily-checks?state=Missed${of}`;
    case 'sla':
      return '/monitoring/sla';
    case 'repository':
      return `/monitoring/repositories?order=soonest${of}`;
    case 'source':
      return '/monitoring/sources';
    case 'ticket':
      return `/monitoring/tickets?state=closed${of}`;
  }
}

/** One line of text, whatever was in a name. */
export const oneLine = (text: string): string =>
  withoutBidi(text)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
