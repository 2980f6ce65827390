import type { Ability } from '../abilities.ts';

/**
 * SYNC-6: which abilities allow reading each kind of synced data; any one of them is enough. Each
 * list names the pages and calls that show that data to their users, so that a device never stores
 * what its user can't see elsewhere. Every answer of sync (bootstrap, day pages, events, last sync)
 * decides by this table.
 */
export const READ_BY = {
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
    'o365.organizations',
    'o365.repositories',
    'o365.jobs',
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
  /** Microsoft 365 tenants, without their credentials. */
  organization: ['o365.organizations'],
  /** Proxies, too. */
  backupRepository: ['o365.repositories'],
  /** With their last sessions. */
  backupJob: ['o365.jobs'],
  /** When sources and connections last synced. */
  sourceHealth: ['monitoring.dashboard', 'monitoring.sources', 'admin.dashboard'],
} as const satisfies Record<string, readonly Ability[]>;
/** A kind of synced data that some roles may read and others not. */
export type Readable = keyof typeof READ_BY;
