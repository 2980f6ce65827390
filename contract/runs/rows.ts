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
 * When a job is due: at an interval in seconds, or by a cron expression in a zone. A schedule with
 * only `kind` comes from a source that doesn't report times. Next to times, `kind` is the source's
 * name for a schedule that the times alone don't identify.
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
   * No result is expected until then. `until` is null only for `disabledIgnored`: until the job is
   * enabled.
   */
  readonly missedIgnored: Ignored | null;
  readonly disabledIgnored: Ignored | null;
  /** The open problem, if any. */
  readonly problem: ProblemN | null;
}

/** A person marked the condition as intended. `until` null: until it changes. */
export interface Ignored {
  readonly by: UserId;
  readonly at: Ms;
  readonly until: Ms | null;
}

/**
 * Statistics of a job, stored on the server only. Lists contain values of the last 30 finished
 * runs, oldest first.
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
  /** The expected start that is already marked as missed, so that it is marked only once. */
  readonly missedFor: Ms | null;
  /** Values that a person marked as normal ("not an anomaly"); they widen the typical range. */
  readonly taught: Readonly<Partial<Record<Measure, readonly [low: number, high: number]>>>;
}

/** One measure outside its typical range: seconds, bytes or a number of files. */
export interface Anomaly {
  readonly measure: Measure;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** One run of one job (a job execution). `startedAt` of a `Missed` run is its expected start. */
export interface RunRow {
  readonly n: RunN;
  readonly job: JobN;
  readonly company: CompanyN;
  readonly key: KeyId;
  /** Identifies the run at its source; unique together with `key`. */
  readonly uid: string;
  readonly status: Status;
  readonly startedAt: Ms;
  readonly endedAt: Ms | null;
  readonly durationSec: Seconds | null;
  /** Bytes sent to the target. */
  readonly bytes: Bytes | null;
  /** Bytes of the examined source data. */
  readonly bytesProcessed: Bytes | null;
  readonly files: number | null;
  readonly filesFailed: number | null;
  /** First line of what went wrong, or what is unusual; null if there is nothing to report. */
  readonly message: string | null;
  readonly exitCode: number | null;
  /** Absent if the source didn't report it. */
  readonly level?: RunLevel | undefined;
  readonly scheduledFor?: Ms | undefined;
  readonly errorCount?: number | undefined;
  readonly warningCount?: number | undefined;
  readonly anomaly: readonly Anomaly[];
  readonly problem: ProblemN | null;
  readonly hasLog: boolean;
  /** Fields of the source that have no column; the panel shows them. */
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
  /** The linked ticket in this portal with that number, if there is one, and whether it is open. */
  readonly tied?: Tied | null;
  /** Known, counts as OK: the rule, by its name at that time, and since when. */
  readonly exception?: Omit<Ruled, 'hint'> | null;
  /** A person ended the exception, so no rule applies one again. */
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
   * The connection that collects this company's results with this key. Nobody has a secret for such
   * a key.
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
  /** The last sample of each UTC day, oldest first, at most 90: for the trend. */
  readonly days: readonly RepositoryDay[];
}
export interface RepositoryDay {
  readonly day: Day;
  readonly usedBytes: Bytes | null;
  readonly capacityBytes: Bytes | null;
}
