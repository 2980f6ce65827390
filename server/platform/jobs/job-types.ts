import * as v from 'valibot';
import type {
  BackupRepositoryId,
  BackupSessionId,
  DownloadId,
  Ms,
  OrganizationId,
  TaskId,
  TenantId,
} from '#contract/ids.ts';
import { storedIdSchema } from '#contract/id-schema.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#contract/time/durations.ts';

/**
 * What the runner knows about a type of background job.
 *
 * - `payload`: what its handler gets besides the provider. Nothing for recurring jobs.
 * - `isRecurring`: every provider has exactly one job of this type, from its creation on.
 * - `isRouted`: it works for a repository, which says where; proxies run it too.
 * - `maxRunning`, `maxRunningPerTenant`: how many jobs one server runs at a time, in total and of one
 *   provider.
 * - `timeoutMs`: longer than any good run. Its signal is aborted then.
 * - `retry`: the waits after failures: doubled from the first up to the longest, plus or minus half.
 * - `maxWaitMs`: a due time further ahead was written by a wrong clock and counts as due (G13).
 * - `afterAppendMs`: how soon it runs after its provider's log grew; null: the log doesn't matter.
 * - `failure`: what the log says when a run fails.
 */
interface BackgroundJobType<P> {
  readonly payload: v.GenericSchema<P>;
  readonly isRecurring: boolean;
  readonly isRouted: boolean;
  readonly maxRunning: number;
  readonly maxRunningPerTenant: number;
  readonly timeoutMs: Ms;
  readonly retry: { readonly firstMs: Ms; readonly longestMs: Ms };
  readonly maxWaitMs: Ms;
  readonly afterAppendMs: Ms | null;
  readonly failure: string;
}

/** Work inside the database. A few at a time, so that calls of users are not delayed. */
const RECURRING = {
  payload: v.null(),
  isRecurring: true,
  isRouted: false,
  maxRunning: 2,
  maxRunningPerTenant: 1,
  timeoutMs: 10 * MINUTE_MS,
  retry: { firstMs: 10 * SECOND_MS, longestMs: 10 * MINUTE_MS },
  maxWaitMs: HOUR_MS,
  afterAppendMs: null,
} as const;

/** Work that waits for external systems: more at a time, so that slow ones delay no others. */
const EXTERNAL = { ...RECURRING, maxRunning: 8, maxWaitMs: DAY_MS + HOUR_MS } as const;

/** Every type of background job. `server/jobs.ts` has the handlers. */
export const BACKGROUND_JOB_TYPES = {
  'missed-runs': {
    ...RECURRING,
    afterAppendMs: 10 * SECOND_MS,
    failure: 'missed and abandoned runs could not be recorded',
  },
  'day-totals': {
    ...RECURRING,
    maxRunning: 1,
    timeoutMs: HOUR_MS,
    failure: 'the totals of past days could not be calculated',
  },
  'log-check': {
    ...RECURRING,
    maxRunning: 1,
    timeoutMs: 4 * HOUR_MS,
    maxWaitMs: DAY_MS + HOUR_MS,
    failure: 'the log could not be checked',
  },
  'log-archive': {
    ...RECURRING,
    maxRunning: 1,
    timeoutMs: 4 * HOUR_MS,
    maxWaitMs: DAY_MS + HOUR_MS,
    failure: 'old events could not be archived',
  },
  'sla-alarms': {
    ...RECURRING,
    failure: 'the SLA alarms could not be evaluated',
  },
  'notifications': {
    ...RECURRING,
    afterAppendMs: 5 * SECOND_MS,
    retry: { firstMs: 5 * SECOND_MS, longestMs: 5 * MINUTE_MS },
    failure: 'new notifications could not be queued',
  },
  'webhooks': {
    ...EXTERNAL,
    failure: 'webhook deliveries could not be sent',
  },
  'push': {
    ...EXTERNAL,
    failure: 'push notifications could not be sent',
  },
  'license-months': {
    ...RECURRING,
    failure: 'the licenses of the month could not be stored',
  },
  'subscriptions': {
    ...RECURRING,
    failure: 'subscriptions and their usage could not be brought up to date',
  },
  'usage-days': {
    ...RECURRING,
    failure: 'the licensed users of the day could not be stored',
  },
  'directory-accounts': {
    ...EXTERNAL,
    failure: 'the accounts of the directory could not be checked',
  },
  'payments': {
    ...EXTERNAL,
    failure: 'usage and endings could not be sent to Stripe',
  },
  'invoices': {
    ...EXTERNAL,
    failure: 'the invoices could not be read',
  },
  'reports': {
    ...RECURRING,
    maxRunning: 1,
    timeoutMs: 2 * HOUR_MS,
    maxWaitMs: 32 * DAY_MS,
    failure: 'the reports could not be sent',
  },
  'ticket-results': {
    ...RECURRING,
    afterAppendMs: 5 * SECOND_MS,
    failure: 'results could not be applied to tickets',
  },
  'tickets': {
    ...EXTERNAL,
    failure: 'tickets could not be exchanged with their system',
  },
  'upkeep': {
    ...RECURRING,
    failure: 'expired data could not be deleted',
  },
  'backup-session': {
    ...EXTERNAL,
    payload: v.object({ session: storedIdSchema<BackupSessionId>() }),
    isRecurring: false,
    isRouted: true,
    maxRunning: 4,
    maxRunningPerTenant: 2,
    timeoutMs: 12 * HOUR_MS,
    maxWaitMs: 8 * DAY_MS,
    failure: 'a backup session could not go on',
  },
  'restore-task': {
    ...EXTERNAL,
    payload: v.object({ task: storedIdSchema<TaskId>() }),
    isRecurring: false,
    isRouted: true,
    maxRunning: 4,
    maxRunningPerTenant: 2,
    timeoutMs: 12 * HOUR_MS,
    maxWaitMs: 2 * DAY_MS,
    failure: 'a restore could not go on',
  },
  'restore-approval': {
    ...RECURRING,
    payload: v.object({ task: storedIdSchema<TaskId>() }),
    isRecurring: false,
    maxWaitMs: 4 * DAY_MS,
    failure: 'a restore that nobody approved could not be ended',
  },
  'background-download': {
    ...EXTERNAL,
    payload: v.object({ download: storedIdSchema<DownloadId>() }),
    isRecurring: false,
    maxRunning: 2,
    maxRunningPerTenant: 1,
    timeoutMs: 12 * HOUR_MS,
    failure: 'a download in the background could not go on',
  },
  'import': {
    ...EXTERNAL,
    payload: v.object({ import: v.string() }),
    isRecurring: false,
    maxRunning: 2,
    maxRunningPerTenant: 1,
    timeoutMs: 12 * HOUR_MS,
    failure: 'an import could not go on',
  },
  'organization-check': {
    ...EXTERNAL,
    payload: v.object({ organization: storedIdSchema<OrganizationId>() }),
    isRecurring: false,
    failure: 'the permissions of an organization could not be checked',
  },
  'restore-rights': {
    ...EXTERNAL,
    payload: v.object({ grant: v.string() }),
    isRecurring: false,
    failure: 'the rights of a restore session could not be removed',
  },
  'repository-clean-up': {
    ...EXTERNAL,
    payload: v.object({ repository: storedIdSchema<BackupRepositoryId>() }),
    isRecurring: false,
    isRouted: true,
    maxRunning: 1,
    timeoutMs: 12 * HOUR_MS,
    failure: 'a repository could not be cleaned up',
  },
  'repository-verification': {
    ...EXTERNAL,
    payload: v.object({ repository: storedIdSchema<BackupRepositoryId>() }),
    isRecurring: false,
    isRouted: true,
    maxRunning: 1,
    timeoutMs: 12 * HOUR_MS,
    failure: 'a repository could not be verified',
  },
  'repository-attachment': {
    ...EXTERNAL,
    payload: v.object({ repository: storedIdSchema<BackupRepositoryId>() }),
    isRecurring: false,
    isRouted: true,
    maxRunning: 1,
    timeoutMs: 12 * HOUR_MS,
    failure: 'a repository could not be attached',
  },
  'repository-deletion': {
    ...EXTERNAL,
    payload: v.object({ repository: storedIdSchema<BackupRepositoryId>() }),
    isRecurring: false,
    isRouted: true,
    maxRunning: 1,
    timeoutMs: 12 * HOUR_MS,
    failure: 'a repository could not be deleted',
  },
  'backup-schedule': {
    ...RECURRING,
    afterAppendMs: 2 * SECOND_MS,
    failure: 'due backup jobs could not be started',
  },
  'backup-runs': {
    ...RECURRING,
    afterAppendMs: 2 * SECOND_MS,
    failure: 'backup sessions could not be recorded as results',
  },
  'connection': {
    ...EXTERNAL,
    payload: v.object({ connection: v.string() }),
    isRecurring: false,
    maxRunningPerTenant: 4,
    timeoutMs: 6 * HOUR_MS,
    maxWaitMs: 2 * DAY_MS,
    failure: 'a connection could not be read',
  },
  'vb365-restore': {
    ...EXTERNAL,
    payload: v.object({ task: storedIdSchema<TaskId>() }),
    isRecurring: false,
    maxRunning: 8,
    maxRunningPerTenant: 4,
    timeoutMs: 12 * HOUR_MS,
    maxWaitMs: 2 * DAY_MS,
    failure: 'a restore on a server of Veeam Backup for Microsoft 365 could not be followed',
  },
  'vb365-server': {
    ...EXTERNAL,
    payload: v.object({ server: v.string() }),
    isRecurring: false,
    maxRunningPerTenant: 4,
    timeoutMs: HOUR_MS,
    failure: 'a server of Veeam Backup for Microsoft 365 could not be read',
  },
  'mail': {
    ...EXTERNAL,
    payload: v.object({ message: v.string() }),
    isRecurring: false,
    maxRunning: 40,
    maxRunningPerTenant: 20,
    retry: { firstMs: 15 * SECOND_MS, longestMs: 30 * MINUTE_MS },
    failure: 'a message could not be sent',
  },
} as const satisfies Readonly<Record<string, BackgroundJobType<unknown>>>;

export type BackgroundJobName = keyof typeof BACKGROUND_JOB_TYPES;

export type JobPayload<N extends BackgroundJobName> = v.InferOutput<
  (typeof BACKGROUND_JOB_TYPES)[N]['payload']
>;

export type RecurringJobName = {
  [N in BackgroundJobName]: (typeof BACKGROUND_JOB_TYPES)[N]['isRecurring'] extends true
    ? N
    : never;
}[BackgroundJobName];

export type RoutedJobName = {
  [N in BackgroundJobName]: (typeof BACKGROUND_JOB_TYPES)[N]['isRouted'] extends true ? N : never;
}[BackgroundJobName];

export const BACKGROUND_JOB_NAMES = Object.keys(BACKGROUND_JOB_TYPES) as BackgroundJobName[];

/** What proxies run. */
export const ROUTED_JOB_NAMES = BACKGROUND_JOB_NAMES.filter(
  (name): name is RoutedJobName => BACKGROUND_JOB_TYPES[name].isRouted,
);

/**
 * `signal` is aborted when the server stops, the lease is lost or the job takes too long: end soon, and
 * resume later.
 */
export interface BackgroundJob<N extends BackgroundJobName> {
  readonly tenant: TenantId;
  readonly payload: JobPayload<N>;
  readonly now: Ms;
  readonly signal: AbortSignal;
}

/**
 * Runs a job and returns when it is due again. Null: not until something schedules it; a job that
 * isn't recurring is deleted then.
 */
export type JobHandler<N extends BackgroundJobName> = (job: BackgroundJob<N>) => Promise<Ms | null>;

/**
 * `lease`: names this run. Nobody else runs the job meanwhile, so rows that another lease has taken are
 * free. What a run stores at the end of such a row, it stores only if its lease still has the row
 * (JOB-11).
 */
export interface LeasedBackgroundJob<N extends BackgroundJobName> extends BackgroundJob<N> {
  readonly lease: string;
}

/** The handler of a job that takes rows. */
export type LeaseHandler<N extends BackgroundJobName> = (
  job: LeasedBackgroundJob<N>,
) => Promise<Ms | null>;

export type JobHandlers = { readonly [N in BackgroundJobName]: LeaseHandler<N> };
