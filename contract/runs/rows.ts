import type {
  Bytes,
  CauseN,
  CompanyN,
  Day,
  JobN,
  KeyId,
  Ms,
  ProblemN,
  RunN,
  Seconds,
  UserId,
} from '../ids.ts';
import type { Ruled } from '../rules/rules.ts';
import type { ScheduleKind } from './schedule-state.ts';
import type {
  EntityGroup,
  JobType,
  Measure,
  ProblemKind,
  ProblemState,
  RunLevel,
  Source,
  Status,
} from './vocabulary.ts';

/**
 * When a job is due: every so many seconds, or at the minutes of a cron line in a zone; `kind`
 * alone where its source tells no times. Beside times, `kind` is what the source calls a schedule
 * that they do not describe by themselves.
 */
export type Schedule =
  | { readonly is: 'every'; readonly everySec: Seconds; readonly kind?: ScheduleKind | undefined }
  | {
      readonly is: 'cron';
      readonly cron: string;
      readonly tz: string;
      readonly kind?: ScheduleKind | undefined;
    }
  | { readonly is: 'kind'; readonly kind: ScheduleKind };

export interface JobRow {
  readonly n: JobN;
  /** The job's id at its source (`jobInstanceUid`), unique within its connection. */
  readonly uid: string;
  readonly key: KeyId;
  readonly company: CompanyN;
  readonly name: string;
  readonly source: Source;
  readonly type: JobType;
  readonly group: EntityGroup;
  readonly computer: string;
  readonly server: string;
  readonly managed: boolean | null;
  readonly enabled: boolean;
  readonly schedule: Schedule | null;
  readonly graceSec: Seconds | null;
  readonly firstSeenAt: Ms;
  /**
   * No result is expected until then; `until` null only for `disabledIgnored`: until it is switched
   * on.
   */
  readonly missedIgnored: Ignored | null;
  readonly disabledIgnored: Ignored | null;
  /** The problem that is open now, if any. */
  readonly problem: ProblemN | null;
}

/** Somebody said that it is meant. `until` null: until it changes. */
export interface Ignored {
  readonly by: UserId;
  readonly at: Ms;
  readonly until: Ms | null;
}

/**
 * What a job usually does: kept on the server only. Lists hold the last 30 finished runs, oldest
 * first.
 */
export interface StatRow {
  readonly n: JobN;
  readonly starts: readonly Ms[];
  readonly durations: readonly Seconds[];
  readonly bytes: readonly Bytes[];
  readonly files: readonly number[];
  readonly lastStart: Ms | null;
  readonly lastSuccess: Ms | null;
  readonly running: RunN | null;
  /** The expectation already marked as missed, so that it is marked once. */
  readonly missedFor: Ms | null;
  /** Ranges that a person called usual ("not an anomaly"): they widen the band. */
  readonly taught: Readonly<Partial<Record<Measure, readonly [low: number, high: number]>>>;
}

/** One measure outside its usual range. Seconds, bytes or a count of files. */
export interface Anomaly {
  readonly measure: Measure;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/**
 * One run of one job (a job execution). `startedAt` of a `Missed` one is the time at which it was
 * expected.
 */
export interface RunRow {
  readonly n: RunN;
  readonly job: JobN;
  readonly company: CompanyN;
  readonly key: KeyId;
  /** What names the run at its source; with `key` it names the run once. */
  readonly uid: string;
  readonly status: Status;
  readonly startedAt: Ms;
  readonly endedAt: Ms | null;
  readonly durationSec: Seconds | null;
  /** Sent to the target. */
  readonly bytes: Bytes | null;
  /** Size of what was looked at. */
  readonly bytesProcessed: Bytes | null;
  readonly files: number | null;
  readonly filesFailed: number | null;
  /** First line of what went wrong, or what is unusual; null where nothing is to be said. */
  readonly message: string | null;
  readonly exitCode: number | null;
  /** Left out where the source did not say. */
  readonly level?: RunLevel | undefined;
  readonly scheduledFor?: Ms | undefined;
  readonly errorCount?: number | undefined;
  readonly warningCount?: number | undefined;
  readonly anomaly: readonly Anomaly[];
  readonly problem: ProblemN | null;
  readonly hasLog: boolean;
  /** Fields of the source that have no column: kept, shown in the panel. */
  readonly detail: Readonly<Record<string, string | number | boolean | null>>;
}

export interface CauseRow {
  readonly n: CauseN;
  readonly template: string;
  readonly kind: ProblemKind;
}

export interface Review {
  readonly by: UserId;
  readonly at: Ms;
  readonly comment: string | null;
}
export interface Snooze {
  readonly by: UserId;
  readonly at: Ms;
  readonly until: Ms;
  readonly reason: string;
}
export interface Tied {
  readonly id: string;
  readonly open: boolean;
  readonly url: string | null;
}
export interface Note {
  readonly by: UserId;
  readonly at: Ms;
  readonly content: string;
}

/**
 * A problem is job + cause + state, from its first run until a success or another problem ends it.
 */
export interface ProblemRow {
  readonly n: ProblemN;
  readonly job: JobN;
  readonly company: CompanyN;
  readonly cause: CauseN;
  readonly state: ProblemState;
  readonly openedAt: Ms;
  readonly lastAt: Ms;
  readonly lastRun: RunN;
  readonly runs: number;
  readonly closedAt: Ms | null;
  readonly closedBy: 'success' | 'changed' | null;
  readonly review: Review | null;
  readonly snooze: Snooze | null;
  readonly note: Note | null;
  readonly ticket: string | null;
  /** The ticket of that number, where it is one that is kept here, and whether it is open. */
  readonly tied?: Tied | null;
  /** Known, counts as OK: the rule, by the name it had then, and since when. */
  readonly exception?: Omit<Ruled, 'hint'> | null;
  /** A person has taken an exception back: no rule makes it one again. */
  readonly unexcused?: true;
  /** Rules that acted on it, each once. */
  readonly ruled?: readonly Ruled[];
  /** Hints that helped with it. */
  readonly helpedBy?: readonly string[];
}

export interface KeyRow {
  readonly id: KeyId;
  readonly name: string;
  readonly company: CompanyN;
  /** The tool whose command the page showed; any tool may use the key. */
  readonly tool: Source;
  readonly managed: boolean | null;
  /** Last four characters, to tell keys apart. */
  readonly hint: string;
  readonly madeAt: Ms;
  readonly rotatedAt: Ms | null;
  readonly revokedAt: Ms | null;
  readonly firstResultAt: Ms | null;
  /**
   * A collected connection that the results of this company come by: nobody holds a secret of it.
   */
  readonly connection?: string | undefined;
}

export interface ComputerRow {
  readonly id: string;
  readonly key: KeyId;
  readonly company: CompanyN;
  readonly hostName: string;
  readonly os: string | null;
  readonly osType: string | null;
  readonly ipAddresses: readonly string[];
  readonly seenAt: Ms;
  readonly firstSeenAt: Ms;
  readonly note: Note | null;
  readonly ignored: Ignored | null;
}

export interface RepositoryRow {
  readonly id: string;
  readonly key: KeyId;
  readonly company: CompanyN;
  readonly uid: string;
  readonly name: string;
  readonly type: string | null;
  readonly hostName: string | null;
  readonly path: string | null;
  readonly capacityBytes: Bytes | null;
  readonly freeBytes: Bytes | null;
  readonly usedBytes: Bytes | null;
  readonly sampledAt: Ms;
  /** The last sample of each UTC day, oldest first, 90 at most: for the trend. */
  readonly days: readonly RepositoryDay[];
}
export interface RepositoryDay {
  readonly day: Day;
  readonly usedBytes: Bytes | null;
  readonly capacityBytes: Bytes | null;
}
