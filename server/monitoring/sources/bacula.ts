import type { ExecutionIn } from '#contract/monitoring/ingest.ts';
import { firstLine } from '#contract/monitoring/line.ts';
import { LIMITS } from '#contract/limits.ts';
import { common, details, iso, isObject, type Json, jsonIn, list, logText, momentOf, none, type Reader, type Reading, type ToolQuery, whole, word } from './reading.ts';

/**
 * Rows of the catalogue's table Job (Bacula 9.6, Bareos), one or an array, names in any case, with `Client` as its name and `LogText`
 * where the Log was joined. Times carry no zone: `tz` is needed for them.
 */
export const readBacula: Reader = (body, query, at) => {
  const value = jsonIn(body);
  const rows = isObject(value) ? list(value['jobs'] ?? value['result'] ?? [value]) : list(value);
  if (rows.length === 0) return none('There is no row of the table Job in it.');
  if (rows.length > LIMITS.ingestRecords) return none(`At most ${LIMITS.ingestRecords} rows at once.`);
  const readings = rows.map((row, index) => (isObject(row) ? readRow(lowered(row), query, at, index) : none('Not a row.', index)));
  return { executions: readings.flatMap((one) => one.executions), rejected: readings.flatMap((one) => one.rejected) };
};

const lowered = (row: Json): Json => Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]));

function readRow(row: Json, query: ToolQuery, at: number, index: number): Reading {
  const type = TYPES[word(row['type']) ?? 'B'];
  if (type === undefined) return none(`Type ${word(row['type']) ?? ''} is no backup.`, index);
  const code = word(row['jobstatus']);
  const status = STATUSES[code ?? ''];
  if (code === null || status === undefined) return none('JobStatus is not one of the catalogue.', index);
  const start = momentOf(row['starttime'], query.tz) ?? momentOf(row['schedtime'], query.tz);
  const end = momentOf(row['realendtime'], query.tz) ?? momentOf(row['endtime'], query.tz);
  if (start === null && query.tz === null && word(row['starttime']) !== null) return none('StartTime carries no zone: say it as tz.', index);
  const startedAt = start ?? end ?? at;
  const running = status === 'Running';
  const endedAt = running ? null : Math.max(startedAt, end ?? at);
  const id = word(row['jobid']);
  const log = word(row['logtext']);
  const errors = whole(row['joberrors']);
  return { rejected: [], executions: [{ byArrival: start === null || (end === null && !running), execution: {
    ...common({ ...query, job: query.job ?? word(row['name']) }, 'bacula', 'bacula', word(row['client']) ?? word(row['clientname']) ?? ''),
    type, status, exitCode: null,
    ...(id === null ? {} : { externalId: id }),
    startTime: iso(startedAt), endTime: endedAt === null ? null : iso(endedAt),
    bytesTransferred: running ? null : whole(row['jobbytes']), bytesProcessed: running ? null : whole(row['readbytes']),
    filesTotal: running ? null : whole(row['jobfiles']), filesFailed: whole(row['jobmissingfiles']),
    message: status === 'Success' || running ? null : firstLine(log ?? '') || REASONS[code] || `JobStatus ${code}`,
    log: logText(log ?? ''),
    detail: details({ jobId: id, level: LEVELS[word(row['level']) ?? ''] ?? null, errors, pool: word(row['pool']) ?? word(row['poolname']), jobStatus: code }),
  } }] };
}

const TYPES: Readonly<Record<string, ExecutionIn['type']>> = { B: 'Backup', C: 'Copy', c: 'Copy', g: 'Copy', M: 'Copy', V: 'Other', D: 'Other', A: 'Archive' };
const LEVELS: Readonly<Record<string, string>> = { F: 'Full', I: 'Incremental', D: 'Differential', B: 'Base', f: 'VirtualFull' };
/** The letters of the catalogue. Those that wait for something are running. */
const STATUSES: Readonly<Record<string, ExecutionIn['status']>> = {
  T: 'Success', W: 'Warning', D: 'Warning', e: 'Failed', E: 'Failed', f: 'Failed', A: 'Failed', I: 'Failed',
  ...Object.fromEntries('RCBFSMsjcdtpialLq'.split('').map((letter) => [letter, 'Running' as const])),
};
const REASONS: Readonly<Record<string, string>> = {
  W: 'Ended with warnings.', D: 'Verify found differences.', A: 'Cancelled by user.', e: 'Ended with a non-fatal error.', E: 'Ended in error.',
  f: 'Ended with a fatal error.', I: 'Incomplete.',
};
