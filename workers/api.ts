/**
 * The only API between page and worker. The page imports this file as a type;
 * `workers/queries/live-queries.ts` is checked against it. All arguments and results are plain
 * data; expected failures are values (`Result`).
 */
import type { Me } from '#contract/auth/current-user.ts';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import type { PreferenceRow } from '#contract/auth/preferences.ts';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { BackupProxyRow, BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { Gate } from '#contract/call.ts';
import type { CallName, CALLS, OutputOf, OfflineCall, InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { CompanyN, JobN, Ms, RunN } from '#contract/ids.ts';
import type { CalendarQuery, CalendarView } from '#contract/calendar/calendar.ts';
import type { ExportColumn } from '#contract/runs/csv.ts';
import type { Overview, OverviewQuery } from '#contract/dashboard/overview.ts';
import type { Ignored, JobRow, IngestKeyRow } from '#contract/runs/rows.ts';
import type { ShiftQuery, ShiftNow, ShiftRow } from '#contract/daily-checks/hand-over.ts';
import type { Trends, TrendsQuery } from '#contract/analytics/trends.ts';
import type { OwnedView } from '#contract/daily-checks/saved-views.ts';
import type { RunsFilter, RunsView, RunsWindow } from '#contract/runs/query.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { Result } from '#contract/result.ts';
import type { LastSync } from '#contract/sync/calls.ts';
import type { Auth, PageSignInRequest } from '#machines/sign-in-requests.ts';

/** What can be watched, and what each watch returns. */
export interface Watches {
  /** The user signed in on this device. `starting` until the disk has been read. */
  who: { readonly input: object; readonly output: ClientSessionState };
  /** The state of a sign-in attempt. */
  signing: { readonly input: object; readonly output: Signing };
  status: { readonly input: object; readonly output: SyncStatus };
  runs: { readonly input: RunsWatch; readonly output: RunsView };
  /** Null until data is loaded. */
  overview: { readonly input: OverviewQuery; readonly output: Overview | null };
  /** Null until data is loaded. */
  trends: { readonly input: TrendsQuery; readonly output: Trends | null };
  calendar: { readonly input: CalendarQuery; readonly output: CalendarView | null };
  find: { readonly input: FindQuery; readonly output: SearchMatches };
  companies: { readonly input: object; readonly output: readonly CompanyRow[] };
  keys: { readonly input: object; readonly output: readonly IngestKeyRow[] };
  /** How the sources last synced; null if unknown or not allowed for this user. */
  lastSync: { readonly input: object; readonly output: LastSync | null };
  outbox: { readonly input: object; readonly output: OutboxView };
  refused: { readonly input: RefusedQuery; readonly output: RefusedView };
  /** Saved lists and other user data, including unsent changes. */
  views: { readonly input: object; readonly output: readonly OwnedView[] };
  shifts: { readonly input: object; readonly output: readonly HandOver[] };
  shiftNow: { readonly input: ShiftQuery; readonly output: ShiftNow };
  preferences: { readonly input: object; readonly output: readonly PreferenceRow[] };
  disabled: { readonly input: object; readonly output: readonly DisabledJob[] };
  /** Microsoft 365 tenants, their backup jobs, repositories and proxies, by name; null at first. */
  organizations: { readonly input: object; readonly output: readonly OrganizationRow[] | null };
  backupJobs: { readonly input: object; readonly output: readonly BackupJobRow[] | null };
  backupRepositories: {
    readonly input: object;
    readonly output: readonly BackupRepositoryRow[] | null;
  };
  backupProxies: { readonly input: object; readonly output: readonly BackupProxyRow[] | null };
}
export type WatchName = keyof Watches;

/** The step that the server asks for after the password, and the directory that checked it. */
export type Signing =
  | { readonly kind: 'none' }
  | { readonly kind: 'step'; readonly step: SignInStep; readonly auth: Auth };

/** `recoveryCodes`: shown once, after setting up an authenticator during sign-in. */
export type SignInReply =
  | { readonly kind: 'in'; readonly me: Me; readonly recoveryCodes: readonly string[] | null }
  | { readonly kind: 'step'; readonly step: SignInStep };

/**
 * Signed in as somebody else, or redirected to another provider's portal. `unsent`: the number of
 * changes in the other session that are not sent yet.
 */
export type ImpersonationAnswer =
  | { readonly kind: 'in'; readonly me: Me }
  | { readonly kind: 'elsewhere'; readonly url: string }
  | { readonly kind: 'unsent'; readonly unsent: number };

export type HandOver = ShiftRow & { readonly name: string };

/** A job that is disabled at its source. `ignored`: a user marked it as intended. */
export interface DisabledJob extends Pick<
  JobRow,
  'n' | 'uid' | 'key' | 'name' | 'company' | 'computer' | 'source' | 'type'
> {
  readonly companyName: string;
  readonly ignored: (Ignored & { readonly name: string }) | null;
}

export interface RunsWatch {
  readonly filter: RunsFilter;
  readonly window: RunsWindow;
  /** Keys of collapsed groups. Their heads stay in the list. */
  readonly folded: readonly (number | string)[];
  /**
   * True while a user works in the list: rows keep their place, and new ones are only counted in
   * `fresh`.
   */
  readonly isInUse: boolean;
  /** Increase it to take in the new rows ("press R"). */
  readonly round: number;
  /**
   * For companies and causes: the sixty with the most runs plus those chosen in the filter, or all
   * (the default). `none`: no facets.
   */
  readonly facets?: 'none' | 'some' | 'all';
}

/**
 * Matches names that contain the text, ignoring case; an empty text matches every name. At most
 * `limit` of each kind.
 */
export interface FindQuery {
  readonly text: string;
  readonly limit: number;
}

/**
 * Names that begin with the text, then names with a word that does, then names that contain it;
 * each group by name. `count`: all matches.
 */
export interface SearchMatches {
  readonly jobs: { readonly count: number; readonly rows: readonly FoundJob[] };
  readonly companies: { readonly count: number; readonly rows: readonly FoundCompany[] };
  readonly computers: { readonly count: number; readonly rows: readonly FoundComputer[] };
}
export interface FoundCompany {
  readonly company: CompanyN;
  readonly name: string;
  readonly jobs: number;
}
export interface FoundJob {
  readonly job: JobN;
  readonly name: string;
  readonly computer: string;
  readonly company: CompanyN;
  readonly companyName: string;
}
/** A computer of a company. The same name in two companies means two computers. */
export interface FoundComputer {
  readonly name: string;
  readonly company: CompanyN;
  readonly companyName: string;
  readonly jobs: number;
}

export type ClientSessionState =
  | { readonly kind: 'starting' }
  /** `offline`: the request got no answer from the server. */
  | {
      readonly kind: 'out';
      readonly reason: 'none' | 'expired' | 'ended';
      readonly branding: Branding | null;
      readonly offline: boolean;
    }
  /** `isUnconfirmed`: user and branding are those of this device; the server may have newer ones. */
  | {
      readonly kind: 'in';
      readonly me: Me;
      readonly branding: Branding;
      readonly offlineUntil: Ms;
      readonly isUnconfirmed?: true;
    };

export interface SyncStatus {
  /**
   * `offline`: nothing responds. `server-trouble`: a gateway or the server responds, but not
   * properly.
   */
  readonly kind:
    | 'live'
    | 'catching-up'
    | 'offline'
    | 'server-trouble'
    | 'signed-out'
    | 'update-needed';
  /** The last time at which this device had everything that the server had. */
  readonly syncedAt: Ms | null;
  /** Since when the server has not responded properly, in either of the two states. */
  readonly offlineSince: Ms | null;
  /** What is left to load; 0 when live. */
  readonly left: number;
  readonly waiting: number;
  /** Changes that the server refused, and those that were damaged on this device. */
  readonly refused: number;
  /**
   * Bulk changes that the server refused for some of their results, until the user dismisses them.
   */
  readonly partly: number;
  /** True if another tab of this browser does the work. */
  readonly follower: boolean;
  /**
   * `persisted`: the browser promised to keep the data. `memory`: it refused a database, so closing
   * the page loses everything.
   */
  readonly storage: 'persisted' | 'best-effort' | 'memory' | 'full';
  readonly error: string | null;
  /** Another build of the app has taken over the database: reload. */
  readonly reload: boolean;
}

export interface OutboxEntry {
  readonly id: string;
  readonly call: OfflineCall;
  readonly runs: readonly RunN[];
  readonly what: string;
  readonly madeAt: Ms;
  readonly state: 'waiting' | 'sending' | 'refused';
  readonly failure: Failure | null;
}
/**
 * `notices`: changes of other users that replaced one of ours (OUT-6), and bulk changes that were
 * refused in part: `refused` counts their results, and the watch `refused` lists them. `damaged`:
 * changes that this device can no longer read, so they can only be dismissed.
 */
export interface OutboxView {
  readonly entries: readonly OutboxEntry[];
  readonly damaged: readonly DamagedChange[];
  readonly notices: readonly OutboxNotice[];
}
/** `what` names the change by its number on this device; when it was made is lost with it. */
export interface DamagedChange {
  readonly id: string;
  readonly what: string;
  readonly why: string;
}
export interface OutboxNotice {
  readonly id: string;
  readonly at: Ms;
  readonly text: string;
  readonly run: RunN | null;
  readonly refused: number;
}

/** The runs of a refused command or a notice, at most `most`. */
export interface RefusedQuery {
  readonly id: string;
  readonly max: number;
}
/** `count`: all of them. Names are null if the run is no longer on this device. */
export interface RefusedView {
  readonly count: number;
  readonly reasons: readonly {
    readonly why: string;
    readonly count: number;
    readonly runs: readonly RefusedRun[];
  }[];
}
export interface RefusedRun {
  readonly run: RunN;
  readonly jobName: string | null;
  readonly companyName: string | null;
  readonly startedAt: Ms | null;
}

export interface Watch<N extends WatchName> {
  /** Changes the query of the watch; cheaper than a new watch. */
  change(input: Watches[N]['input']): void;
  close(): void;
}

export interface WorkerClient {
  watch<N extends WatchName>(
    name: N,
    input: Watches[N]['input'],
    onChange: (value: Watches[N]['output']) => void,
  ): Promise<Watch<N>>;
  /**
   * Sends a change of data. Resolves once it is on disk ("saved on this device"); `sent` says
   * whether the server has it yet.
   */
  send<N extends OfflineCall>(name: N, input: InputOf<N>): Promise<Result<SentReport>>;
  /** Any other call. Fails with a message when offline. */
  ask<N extends CallName>(name: N, input: InputOf<N>): Promise<Result<OutputOf<N>>>;
  /**
   * A query whose last answer this device stores: if the server can't be reached, it returns that
   * answer with its time. Without a stored answer, it returns the failure.
   */
  read<N extends ReadCall>(name: N, input: InputOf<N>): Promise<Result<ServerRead<OutputOf<N>>>>;
  /**
   * Returns a file made by the server, under the server's file name. Needs the network, as `ask`
   * does.
   */
  file<N extends FileCall>(name: N, input: InputOf<N>): Promise<Result<ServedFile>>;
  /** Returns all runs that match a filter, for a bulk action. */
  matching(filter: RunsFilter): Promise<readonly RunN[]>;
  /**
   * Exports the list as a CSV file, made on this device, even offline. `onProgress` gets the share
   * that is done, 0 to 1.
   */
  exportRuns(
    filter: RunsFilter,
    columns: readonly ExportColumn[],
    onProgress: (share: number) => void,
  ): Promise<Exporting>;
  signIn(ask: PageSignInRequest): Promise<Result<SignInReply>>;
  /** Goes back from a step to the name and password. */
  signInBack(): Promise<void>;
  /**
   * Signs in as another user (G42). The current user's data and unsent changes stay on this device
   * until the return.
   */
  impersonate(who: {
    readonly userId: string;
    readonly reason: string;
    readonly serviceProviderId?: string;
  }): Promise<Result<ImpersonationAnswer>>;
  /**
   * Returns to the own account and destroys the other user's data. `ask`: only if nothing is
   * unsent.
   */
  stopImpersonation(unsent: 'ask' | 'discard'): Promise<Result<ImpersonationAnswer>>;
  /** OUT-7. `ask`: signs out only if nothing is unsent, else returns how much is. */
  signOut(
    unsent: 'ask' | 'send' | 'keep' | 'discard',
  ): Promise<Result<{ readonly out: boolean; readonly unsent: number }>>;
  /**
   * Retries a refused command, or the refused part of one; or discards it, or dismisses a notice.
   * A damaged command can only be discarded.
   */
  mend(id: string, how: 'retry' | 'discard'): Promise<Result<null>>;
  syncNow(): Promise<void>;
  /**
   * The draft of a form on this device, null if there is none. It belongs to the user and is deleted
   * at sign-out. Saving resolves once it is on disk.
   */
  readDraft(name: string): Promise<Result<unknown>>;
  saveDraft(name: string, value: unknown): Promise<Result<null>>;
  deleteDraft(name: string): Promise<Result<null>>;
}

/** Calls that only read data: every GET with data, and `listNotifications`, a POST that reads. */
export type ReadCall =
  | {
      [N in CallName]: (typeof CALLS)[N] extends { readonly method: 'GET'; readonly output: object }
        ? N
        : never;
    }[CallName]
  | 'listNotifications';

/** Calls that return a file. */
export type FileCall = {
  [N in CallName]: (typeof CALLS)[N] extends {
    readonly output: 'bytes';
    readonly gate: Exclude<Gate, 'public'>;
  }
    ? N
    : never;
}[CallName];
export interface ServedFile {
  readonly name: string;
  readonly file: Blob;
}

/** `at`: when the server answered. `failure`: why it can't be reached now. */
export type ServerRead<T> = { readonly value: T; readonly at: Ms } & (
  | { readonly live: true }
  | { readonly live: false; readonly failure: Failure }
);

/** A file export in progress. */
export interface Exporting {
  /** Resolves with the complete file; null if the export was canceled or the user signed out. */
  done(): Promise<ExportedFile | null>;
  cancel(): void;
}
export interface ExportedFile {
  readonly name: string;
  readonly rows: number;
  readonly file: Blob;
}

export interface SentReport {
  readonly id: string;
  readonly sent: boolean;
}
