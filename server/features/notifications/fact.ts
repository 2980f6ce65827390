import { withoutBidi } from '#contract/bidi.ts';
import type { CompanyN } from '#contract/ids.ts';
import type { NotifyCategory } from '#contract/notifications/notifications.ts';

/**
 * An event or an ongoing condition to notify users of.
 * - `subject`: identifies it within its category.
 * - `companies`: its companies, all of which the user has to see; null for the provider as a whole.
 * - `link`: the address of its view in the portal.
 * - `line`: returns its text in one line, for an email.
 * - `data`: its content for webhooks.
 */
export interface NotificationFact {
  readonly category: NotifyCategory;
  readonly subject: string;
  readonly companies: readonly CompanyN[] | null;
  readonly link: string;
  readonly line: () => string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Returns the address of the view of several facts of a category, filtered by company if they share
 * one.
 */
export function getFactLink(category: NotifyCategory, company: CompanyN | null): string {
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

/** Reduces a text to one line, because names can contain line breaks. */
export const toOneLine = (text: string): string =>
  withoutBidi(text)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
