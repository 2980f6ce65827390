import type { Ability } from '#contract/abilities.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { addDays, dayAt, isDay, momentAt } from '#src/features/shared/date-range/dates.ts';

/** What an ability is for, as its user knows it. One that no call asks for has no words. */
const WORDS: Partial<Readonly<Record<Ability, readonly [word: string, says: string]>>> = {
  'monitoring.daily-checks': [
    'Read results',
    'Results, what did not run, events, computers, the record of reviews, exports',
  ],
  'monitoring.job-actions': [
    'Act on results',
    'Review, note, snooze, ticket, hand over, SLA alarms',
  ],
  'monitoring.dashboard': ['State of the sources', 'When each was last heard and what failed'],
  'monitoring.overview': ['Overview', 'Figures and charts of results'],
  'monitoring.rankings': ['Rankings', 'Failures, duration, data by job'],
  'monitoring.trends': ['Trends', 'Failures and warnings over time'],
  'monitoring.spreadsheet-report': [
    'Spreadsheet report',
    'A row for each job, a column for each day',
  ],
  'monitoring.repositories': ['Repositories', 'Capacity, history, trend'],
  'monitoring.tickets': ['Read tickets', 'Tickets and what they are made of'],
  'monitoring.rules': ['Rules', 'Read, make, change and remove rules'],
  'monitoring.hints': ['Hints', 'Read, make, change and remove hints'],
  'monitoring.reporting': ['SLA', 'Read alarms and their report'],
  'monitoring.report-settings': ['Scheduled reports', 'Read, change, preview and send reports'],
  'monitoring.licensing': ['Licensing', 'What was used, by month and company'],
  'monitoring.licensing-export': ['Licensing as a file', 'The same as CSV'],
  'monitoring.invoices': ['Invoices', 'Read invoices and their files'],
  'common.companies': ['Companies', 'Read, make and change companies, and what they are mapped to'],
  'monitoring.users': ['Read users', 'The list of users; a key changes no account'],
  'monitoring.userLogs': ['Log of users', 'What was done by and for whom'],
  'monitoring.sources': ['Sources', 'Ingest keys, connections and webhooks, with their secrets'],
  'admin.dashboard': ['Administration', 'Overview, event log, branding and notices'],
};

export const wordOf = (ability: Ability): string => WORDS[ability]?.[0] ?? ability;
/** The most common first. */
export const inOrder = (abilities: readonly Ability[]): readonly Ability[] => {
  const order = Object.keys(WORDS);
  return abilities.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
};
export const saysOf = (ability: Ability): string =>
  `${WORDS[ability]?.[1] ?? ''} (${ability})`.trim();

/** How long a key lasts: days, or to the end of a day of one's own. */
export const LASTS = [
  { value: '30', word: '30 days' },
  { value: '90', word: '90 days' },
  { value: '365', word: 'A year' },
  { value: 'own', word: 'Until a day of your choice' },
] as const;
export type Lasts = (typeof LASTS)[number]['value'];

/** Null where no day is given, or none that a key can end on. */
export function untilOf(lasts: Lasts, day: string, now: Ms, zone: string): Ms | null {
  const last = addDays(dayAt(now, { zone, hour: 0 }), LIMITS.apiKeyDays);
  if (lasts !== 'own')
    return momentAt(addDays(dayAt(now, { zone, hour: 0 }), Number(lasts) + 1), 0, zone) - 1;
  if (!isDay(day) || day > last) return null;
  const until = momentAt(addDays(day, 1), 0, zone) - 1;
  return until > now ? until : null;
}
