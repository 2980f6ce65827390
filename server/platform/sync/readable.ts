import type { Ability } from '#contract/abilities.ts';
import type { EventType } from '#contract/events.ts';
import type { Principal } from '../http/handler.ts';
import { hasAbility } from '../auth/authorization.ts';

/**
 * SYNC-6: which abilities allow reading each kind of synced data; any one of them is enough. Each
 * list names the pages and calls that show that data to their users, so that a device never stores
 * what its user can't see elsewhere. Every answer of sync (bootstrap, day pages, events, last sync)
 * decides by this table.
 */
const READ_BY = {
  /**
   * Number and name. Besides results and lists with company names: user administrators assign
   * companies to users.
   */
  company: [
    'common.companies',
    'monitoring.users',
    'monitoring.dashboard',
    'monitoring.daily-checks',
    'monitoring.calendar-report',
    'monitoring.overview',
    'monitoring.rankings',
    'monitoring.spreadsheet-report',
    'monitoring.trends',
    'monitoring.reporting',
    'monitoring.report-settings',
    'monitoring.repositories',
    'monitoring.tickets',
    'monitoring.rules',
    'monitoring.sources',
    'monitoring.licensing',
    'monitoring.licensing-export',
    'monitoring.invoices',
    'admin.dashboard',
  ],
  /** Other settings of a company: its ids in other systems, and its recipients. */
  companySettings: ['common.companies'],
  /** Jobs, runs, causes and problems: the pages that a device calculates from them. */
  result: [
    'monitoring.dashboard',
    'monitoring.daily-checks',
    'monitoring.calendar-report',
    'monitoring.rankings',
    'monitoring.spreadsheet-report',
    'monitoring.trends',
  ],
  /**
   * Actions of users on results, with their names and texts: reviews, notes, snoozes, tickets,
   * rules and hints that applied.
   */
  work: ['monitoring.daily-checks'],
  view: ['monitoring.daily-checks'],
  shift: ['monitoring.daily-checks'],
  key: ['monitoring.sources'],
  /**
   * Names of other users: for the evidence of daily checks and the recipients of an SLA alarm.
   */
  person: ['monitoring.daily-checks', 'monitoring.reporting'],
  /** Names of the users that a user administrator manages. */
  managedPerson: ['monitoring.users'],
  /** When sources and connections last synced. */
  sourceHealth: ['monitoring.dashboard', 'monitoring.sources', 'admin.dashboard'],
} as const satisfies Record<string, readonly Ability[]>;
export type Readable = keyof typeof READ_BY;

export const readableBy = (session: Pick<Principal, 'roles' | 'key'>): ReadonlySet<Readable> =>
  new Set(
    (Object.keys(READ_BY) as Readable[]).filter((one) =>
      READ_BY[one].some((ability) => hasAbility(session, ability)),
    ),
  );

/**
 * The kind of data in each event. `self`: a user's own data, for that user alone. `none`: never
 * synced; pages request it when they open.
 */
export const EVENT_TELLS: Readonly<Record<EventType, Readable | 'self' | 'none'>> = {
  'company.made@1': 'company',
  'company.changed@1': 'company',
  'company.deleted@1': 'company',
  'user.made@1': 'none',
  'user.scoped@1': 'self',
  'user.changed@1': 'self',
  'user.deleted@1': 'self',
  'user.removed@1': 'self',
  'user.preferred@1': 'self',
  'job.found@1': 'result',
  'job.changed@1': 'result',
  'job.taught@1': 'work',
  'job.ignored@1': 'work',
  'job.heeded@1': 'work',
  'run.started@1': 'result',
  'run.finished@1': 'result',
  'run.missed@1': 'result',
  'cause.found@1': 'result',
  'problem.opened@1': 'result',
  'problem.closed@1': 'result',
  'problem.reviewed@1': 'result',
  'problem.reopened@1': 'result',
  'problem.snoozed@1': 'result',
  'problem.woken@1': 'result',
  'problem.excepted@1': 'result',
  'problem.unexcepted@1': 'result',
  'problem.noted@1': 'work',
  'problem.ticketed@1': 'work',
  'problem.tied@1': 'work',
  'problem.ruled@1': 'work',
  'problem.helped@1': 'work',
  'key.made@1': 'key',
  'key.rotated@1': 'key',
  'key.revoked@1': 'key',
  'key.heard@1': 'key',
  'view.saved@1': 'view',
  'view.removed@1': 'view',
  'shift.ended@1': 'shift',
  'computer.seen@1': 'none',
  'computer.noted@1': 'none',
  'computer.ignored@1': 'none',
  'computer.heeded@1': 'none',
  'repository.sampled@1': 'none',
  'rule.made@1': 'none',
  'rule.changed@1': 'none',
  'rule.removed@1': 'none',
  'rules.ordered@1': 'none',
  'hint.saved@1': 'none',
  'hint.removed@1': 'none',
  'ticket.made@1': 'none',
  'ticket.changed@1': 'none',
  'ticket.linked@1': 'none',
  'ticket.deleted@1': 'none',
};
