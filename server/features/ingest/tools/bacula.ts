import type { ExecutionIn } from '#contract/ingest/calls.ts';
import type { Ms } from '#contract/ids.ts';
import type { RunLevel } from '#contract/runs/vocabulary.ts';
import { boundedId } from '../bounded-id.ts';
import { LIMITS } from '#contract/limits.ts';
import { baculaLog, failureIn } from './bacula-log.ts';
import { hasZone, getBaculaTimes } from './bacula-times.ts';
import {
  common,
  details,
  toResultTime,
  isObject,
  type JsonObject,
  jsonIn,
  logText,
  none,
  notARun,
  type Reader,
  type ToolReading,
  type ToolQuery,
  whole,
  word,
} from './tool-output.ts';
import { ingestAnswers as t } from '../answers.messages.en.ts';

/**
 * Reads rows of the catalog's table Job (Bacula 9.6 to 15, Bareos), one or an array, with names in
 * any case, also as Bareos' console answers `llist jobs` (`.api json`). They can include `ClientName`, `PoolName`, `Director` (the catalog does not contain its
 * name) and `LogText`, the joined lines of the table Log. An empty array means that nothing ran.
 * `JobTDate` provides the zone of the times; without it `tz` is required.
 */
export const readBacula: Reader = (body, query, at) => {
  const rows = getRows(jsonIn(body));
  if (rows === null) return none(t.noBacula);
  if (rows.length === 0) return notARun(t.noJobs);
  if (rows.length > LIMITS.ingestRecords) return none(t.tooManyRows({ max: LIMITS.ingestRecords }));
  const readings = rows.map((row, index) =>
    isObject(row) ? readRow(lowered(row), query, at, index) : none(t.notRow, index),
  );
  return {
    executions: readings.flatMap((one) => one.executions),
    rejected: readings.flatMap((one) => one.rejected),
  };
};

/** Returns the rows of an answer; null if it contains none, such as an error of the console. */
function getRows(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value as readonly unknown[];
  if (!isObject(value)) return null;
  const rows =
    value['jobs'] ?? (isObject(value['result']) ? value['result']['jobs'] : value['result']);
  if (Array.isArray(rows)) return rows as readonly unknown[];
  return 'jobstatus' in lowered(value) ? [value] : null;
}

const lowered = (row: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]));

function readRow(row: JsonObject, query: ToolQuery, at: Ms, index: number): ToolReading {
  const code = word(row['jobstatus']);
  const known = STATUSES[code ?? ''];
  if (code === null || known === undefined) return none(t.unknownStatus, index);
  const task = TASKS[word(row['type']) ?? 'B'];
  if (task === undefined) return none(t.unknownType({ type: word(row['type']) ?? '' }), index);
  const running = known === 'Running';
  const times = getBaculaTimes(row, query.tz, running);
  if (times.start === null && hasZone(row['starttime']) === false) return none(t.noZone, index);
  // The job is queued. It has not begun, and is sent again once it has.
  if (running && times.start === null) return { executions: [], rejected: [] };
  const begun = times.start ?? times.end ?? times.scheduled ?? at;
  // The end is exact (`JobTDate`); a start in an hour that comes twice can be misread.
  const startedAt = times.end === null ? begun : Math.min(begun, times.end);
  const endedAt = running ? null : Math.max(startedAt, times.end ?? at);
  const log = baculaLog(word(row['logtext']) ?? '');
  const files = whole(row['jobfiles']);
  const bytes = whole(row['jobbytes']);
  const errors = whole(row['joberrors']) ?? 0;
  const level = LEVELS[word(row['level']) ?? ''] ?? null;
  const backup = task === 'Backup';
  // `JobFiles` counts folders too: without its mount, a folder is 1 file of 0 bytes.
  const empty = backup && level !== null && WHOLE.has(level) && known === 'Success' && bytes === 0;
  const status = known === 'Success' && (errors > 0 || empty) ? 'Warning' : known;
  const client = word(row['client']) ?? word(row['clientname']);
  const name = (query.job ?? word(row['name']) ?? 'bacula').slice(0, LIMITS.nameChars - 20);
  const director = word(row['director']) ?? word(row['directorname']) ?? query.host ?? '';
  const externalId = getId(row, director);
  return {
    rejected: [],
    executions: [
      {
        byArrival: times.start === null || (times.end === null && !running),
        execution: {
          ...common(
            { ...query, job: backup ? name : `${name} (${task})`, host: client ?? query.host },
            'bacula',
            'bacula',
          ),
          ...(director === ''
            ? {}
            : {
                jobInstanceUid: boundedId(
                  `${director}/${name}${backup ? '' : ` (${task})`}@${client ?? ''}`,
                ),
              }),
          type: TYPES[task],
          status,
          exitCode: null,
          level: backup ? level : null,
          ...(externalId === null ? {} : { externalId }),
          ...(times.scheduled === null ? {} : { scheduledFor: toResultTime(times.scheduled) }),
          startTime: toResultTime(startedAt),
          endTime: endedAt === null ? null : toResultTime(endedAt),
          bytesTransferred: running ? null : bytes,
          bytesProcessed: running ? null : whole(row['readbytes']),
          filesTotal: running ? null : files,
          filesFailed: whole(row['jobmissingfiles']),
          ...(running ? {} : { errorCount: errors }),
          message:
            status === 'Success' || running
              ? null
              : failureIn(log) ||
                (empty
                  ? `Nothing was saved: ${files === null || files === 0 ? 'no file and ' : `${files} ${files === 1 ? 'folder or empty file' : 'folders or empty files'}, `}no byte.`
                  : (REASONS[code] ?? `JobStatus ${code}`)),
          log: logText(log),
          detail: details({
            jobId: word(row['jobid']),
            job: word(row['job']),
            director: director === '' ? null : director,
            task: backup ? null : task,
            pool: word(row['pool']) ?? word(row['poolname']),
            jobStatus: code,
          }),
        },
      },
    ],
  };
}

/**
 * Returns the name that the director gives each run, such as `Files.2026-11-22_01.05.00_03`. The
 * number (`JobId`) restarts in a new catalog, and two directors use the same ones.
 */
function getId(row: JsonObject, director: string): string | null {
  const job = word(row['job']);
  if (job !== null) return boundedId(`${director === '' ? '' : `${director}/`}${job}`);
  const number = word(row['jobid']);
  const due = word(row['schedtime']) ?? word(row['starttime']) ?? '';
  return number === null
    ? null
    : boundedId(
        `${director === '' ? '' : `${director}/`}${number} ${word(row['name']) ?? ''} ${due}`.trim(),
      );
}

/**
 * The type of a job. `M` is a backup whose data was migrated, which still counts as that backup.
 */
type Task =
  | 'Backup'
  | 'Restore'
  | 'Verify'
  | 'Admin'
  | 'Copy'
  | 'Migration'
  | 'Archive'
  | 'Console'
  | 'System'
  | 'Scan';
const TASKS: Readonly<Record<string, Task>> = {
  B: 'Backup',
  M: 'Backup',
  R: 'Restore',
  V: 'Verify',
  D: 'Admin',
  C: 'Copy',
  c: 'Copy',
  g: 'Migration',
  A: 'Archive',
  U: 'Console',
  I: 'System',
  S: 'Scan',
};
const TYPES: Readonly<Record<Task, NonNullable<ExecutionIn['type']>>> = {
  Backup: 'Backup',
  Copy: 'Copy',
  Migration: 'Copy',
  Archive: 'Archive',
  Restore: 'Other',
  Verify: 'Other',
  Admin: 'Other',
  Console: 'Other',
  System: 'Other',
  Scan: 'Other',
};
const LEVELS: Readonly<Record<string, RunLevel>> = {
  F: 'Full',
  I: 'Incremental',
  D: 'Differential',
  B: 'Base',
  f: 'VirtualFull',
};
/**
 * Backups of everything that was selected. The others are empty if nothing changed. `VirtualFull`
 * puts earlier backups together.
 */
const WHOLE: ReadonlySet<RunLevel> = new Set(['Full', 'VirtualFull', 'Base']);
/** The status letters of the catalog. Those that wait for something count as running. */
const STATUSES: Readonly<Record<string, ExecutionIn['status']>> = {
  T: 'Success',
  W: 'Warning',
  D: 'Warning',
  e: 'Failed',
  E: 'Failed',
  f: 'Failed',
  A: 'Failed',
  I: 'Failed',
  ...Object.fromEntries(
    'RCBFSMsjcdtpialLqm'.split('').map((letter) => [letter, 'Running' as const]),
  ),
};
const REASONS: Readonly<Record<string, string>> = {
  T: 'Ended well, with errors.',
  W: 'Ended with warnings.',
  D: 'Verify found differences.',
  A: 'Cancelled by user.',
  e: 'Ended with a non-fatal error.',
  E: 'Ended in error.',
  f: 'Ended with a fatal error.',
  I: 'Incomplete.',
};
