/**
 * The one door between page and worker. The page imports this file as a type only;
 * `workers/queries/live-queries.ts` is checked against it. Everything that crosses is plain data; expected failures
 * are values (`Result`).
 */
import type { Me } from '#contract/auth/current-user.ts';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import type { PreferenceRow } from '#contract/auth/preferences.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { Gate } from '#contract/call.ts';
import type { CallName, CALLS, OutputOf, OfflineCall, InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { CompanyN, JobN, Ms, RunN } from '#contract/ids.ts';
import type { CalendarAsk, CalendarView } from '#contract/calendar/calendar.ts';
import type { ExportColumn } from '#contract/runs/csv.ts';
import type { Overview, OverviewAsk } from '#contract/dashboard/overview.ts';
import type { Ignored, JobRow, KeyRow } from '#contract/runs/rows.ts';
import type { ShiftAsk, ShiftNow, ShiftRow } from '#contract/daily-checks/hand-over.ts';
import type { Trends, TrendsAsk } from '#contract/analytics/trends.ts';
import type { OwnedView } from '#contract/daily-checks/saved-views.ts';
import type { RunsFilter, RunsView, RunsWindow } from '#contract/runs/query.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { Result } from '#contract/result.ts';
import type { LastSync } from '#contract/sync/calls.ts';
import type { Auth, PageAsk } from '#machines/sign-in-requests.ts';

/** What can be watched, and what each watch returns. */
export interface Watches {
  /** Who is signed in on this device. `starting` until the disk has been asked. */
  who: { readonly input: object; readonly output: Who };
  /** Where an attempt to sign in stands. */
  signing: { readonly input: object; readonly output: Signing };
  status: { readonly input: object; readonly output: SyncStatus };
  runs: { readonly input: RunsWatch; readonly output: RunsView };
  /** Null before anything is here. */
  overview: { readonly input: OverviewAsk; readonly output: Overview | null };
  /** Null before anything is here. */
  trends: { readonly input: TrendsAsk; readonly output: Trends | null };
  calendar: { readonly input: CalendarAsk; readonly output: CalendarView | null };
  find: { readonly input: FindAsk; readonly output: Found };
  companies: { readonly input: object; readonly output: readonly CompanyRow[] };
  keys: { readonly input: object; readonly output: readonly KeyRow[] };
  /** How the sources synced last; null where it is not known, or not for this user. */
  lastSync: { readonly input: object; readonly output: LastSync | null };
  outbox: { readonly input: object; readonly output: OutboxView };
  refused: { readonly input: RefusedAsk; readonly output: RefusedView };
  /** What people keep beside the results, unsent changes included. */
  views: { readonly input: object; readonly output: readonly OwnedView[] };
  shifts: { readonly input: object; readonly output: readonly HandOver[] };
  shiftNow: { readonly input: ShiftAsk; readonly output: ShiftNow };
  preferences: { readonly input: object; readonly output: readonly PreferenceRow[] };
  disabled: { readonly input: object; readonly output: readonly DisabledJob[] };
}
export type WatchName = keyof Watches;

/** What the server asks for after the password, and whose list that was looked up in. */
export type Signing =
  | { readonly is: 'none' }
  | { readonly is: 'step'; readonly step: SignInStep; readonly auth: Auth };

/** `recoveryCodes`: to be shown once, where an authenticator was set up on the way in. */
export type SignedIn =
  | { readonly is: 'in'; readonly me: Me; readonly recoveryCodes: readonly string[] | null }
  | { readonly is: 'step'; readonly step: SignInStep };

/**
 * In as somebody else, or at another provider's portal: there the page goes on by itself. `unsent`:
 * so much of the other's work is not sent yet.
 */
export type Acted =
  | { readonly is: 'in'; readonly me: Me }
  | { readonly is: 'elsewhere'; readonly url: string }
  | { readonly is: 'unsent'; readonly unsent: number };

export type HandOver = ShiftRow & { readonly name: string };

/** A job that is switched off at its source. `ignored`: somebody said that it is meant. */
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
  /** Keys of groups whose rows are folded away: their heads stay. */
  readonly folded: readonly (number | string)[];
  /**
   * True while a person works in the list: rows keep their place, new ones wait and are counted in
   * `fresh`.
   */
  readonly held: boolean;
  /** Count it up to take in what waits ("press R"). */
  readonly round: number;
  /**
   * Of companies and causes: the sixty with the most and those chosen in the filter, or all (as it
   * is where nothing is said). `none`: no facets.
   */
  readonly facets?: 'none' | 'some' | 'all';
}

/** Contains, any case; no text finds everything. At most `limit` of each sort. */
export interface FindAsk {
  readonly text: string;
  readonly limit: number;
}

/**
 * Names that begin with the text, then those of which a word does, then those that hold it; each by
 * name. `count`: of all that do.
 */
export interface Found {
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
/** A computer of a company; those of two companies are two. */
export interface FoundComputer {
  readonly name: string;
  readonly company: CompanyN;
  readonly companyName: string;
  readonly jobs: number;
}

export type Who =
  | { readonly is: 'starting' }
  /** `offline`: the server was asked and did not answer. */
  | {
      readonly is: 'out';
      readonly reason: 'none' | 'expired' | 'ended';
      readonly branding: Branding | null;
      readonly offline: boolean;
    }
  | { readonly is: 'in'; readonly me: Me; readonly branding: Branding; readonly offlineUntil: Ms };

export interface SyncStatus {
  /**
   * `offline`: nothing answers. `server-trouble`: something answers, a gateway or the server, but
   * not as it should.
   */
  readonly is:
    | 'live'
    | 'catching-up'
    | 'offline'
    | 'server-trouble'
    | 'signed-out'
    | 'update-needed';
  /** Newest moment at which this device had everything the server had. */
  readonly syncedAt: Ms | null;
  /** Since when the server gave no proper answer, by either of the two. */
  readonly offlineSince: Ms | null;
  /** Things still to load, 0 when live. */
  readonly left: number;
  readonly waiting: number;
  readonly refused: number;
  /** Changes of many results that were not accepted for some of them, until that is read. */
  readonly partly: number;
  /** True where another tab of this browser does the work. */
  readonly follower: boolean;
  /**
   * `persisted`: the browser promised to keep the data. `memory`: it refused a database, all is
   * lost on closing.
   */
  readonly storage: 'persisted' | 'best-effort' | 'memory' | 'full';
  readonly fault: string | null;
  /** Another build of the product has taken over the database: reload. */
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
 * `notices`: what another person's change did to one of ours (OUT-6), and changes of many results
 * some of which were refused: `refused` counts these, and the watch of that name lists them.
 */
export interface OutboxView {
  readonly entries: readonly OutboxEntry[];
  readonly notices: readonly OutboxNotice[];
}
export interface OutboxNotice {
  readonly id: string;
  readonly at: Ms;
  readonly text: string;
  readonly run: RunN | null;
  readonly refused: number;
}

/** The runs that a refused command, or a notice, speaks of; `most` of them. */
export interface RefusedAsk {
  readonly id: string;
  readonly most: number;
}
/** `count`: of all. Names are null where the run is not on this device any more. */
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
  /** Another question to the same watch, cheaper than a new one. */
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
   * A change of data. Kept on disk before it resolves ("saved on this device"); `sent` tells
   * whether the server has it yet.
   */
  send<N extends OfflineCall>(name: N, input: InputOf<N>): Promise<Result<Sent>>;
  /** Everything else: needs the network and says so. */
  ask<N extends CallName>(name: N, input: InputOf<N>): Promise<Result<OutputOf<N>>>;
  /**
   * A question whose last answer this device keeps: where the server cannot be asked, that is given
   * with its time. Nothing kept: the failure.
   */
  read<N extends ReadCall>(name: N, input: InputOf<N>): Promise<Result<Read<OutputOf<N>>>>;
  /** A file that the server makes, under the name that it gives. Needs the network, as `ask`. */
  file<N extends FileCall>(name: N, input: InputOf<N>): Promise<Result<ServedFile>>;
  /** All runs that match a filter, to act on them all. */
  matching(filter: RunsFilter): Promise<readonly RunN[]>;
  /**
   * The list as a CSV file, made on this device, network or not. `onProgress` is told what share of
   * it is done, 0 to 1.
   */
  exportRuns(
    filter: RunsFilter,
    columns: readonly ExportColumn[],
    onProgress: (share: number) => void,
  ): Promise<Exporting>;
  signIn(ask: PageAsk): Promise<Result<SignedIn>>;
  /** Back from a step to the name and password. */
  signInBack(): Promise<void>;
  /**
   * Signs in as another user (G42): this user's data and unsent work stay on this device, for the
   * return.
   */
  actAs(who: {
    readonly userId: string;
    readonly reason: string;
    readonly serviceProviderId?: string;
  }): Promise<Result<Acted>>;
  /**
   * Back to oneself. What was kept of the other user is destroyed; `ask`: only where nothing is
   * unsent.
   */
  stopActing(unsent: 'ask' | 'discard'): Promise<Result<Acted>>;
  /** OUT-7. `ask`: sign out only if nothing is unsent, and answer how much is. */
  signOut(
    unsent: 'ask' | 'send' | 'keep' | 'discard',
  ): Promise<Result<{ readonly out: boolean; readonly unsent: number }>>;
  /** Try a refused command, or what was refused of one, again; or drop it, dismiss a notice. */
  mend(id: string, how: 'retry' | 'discard'): Promise<Result<null>>;
  syncNow(): Promise<void>;
}

/** Calls that only ask, and answer with data; what stands above the page is asked with a POST. */
export type ReadCall =
  | {
      [N in CallName]: (typeof CALLS)[N] extends { readonly method: 'GET'; readonly output: object }
        ? N
        : never;
    }[CallName]
  | 'listNotifications';

/** Calls that answer with a file. */
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

/** `at`: when the server said so. `failure`: why it could not be asked now. */
export type Read<T> = { readonly value: T; readonly at: Ms } & (
  | { readonly live: true }
  | { readonly live: false; readonly failure: Failure }
);

/** A file being made. */
export interface Exporting {
  /** The file once it is whole; null where it was cancelled, or its user signed out. */
  done(): Promise<ExportedFile | null>;
  cancel(): void;
}
export interface ExportedFile {
  readonly name: string;
  readonly rows: number;
  readonly file: Blob;
}

export interface Sent {
  readonly id: string;
  readonly sent: boolean;
}
