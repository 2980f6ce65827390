import { firstLine } from '#contract/runs/first-line.ts';
import { signalSentence } from './exit-code.ts';
import type { Ms } from '#contract/ids.ts';
import {
  amount,
  common,
  details,
  toResultTime,
  isObject,
  type JsonObject,
  asList,
  logText,
  readMoment,
  none,
  notARun,
  objectIn,
  one,
  parseJsonLines,
  type Reader,
  type ToolReading,
  span,
  sub,
  type ToolQuery,
  whole,
  word,
} from './tool-output.ts';
import { ingestAnswers as t } from '../answers.messages.en.ts';

/**
 * Reads the log of `rclone … --use-json-log --stats-log-level NOTICE` (1.60 and later), or one
 * response of its remote control (`job/status`). Exit 0 is a success, and so is 9: nothing had to
 * be transferred. Without an exit code the last totals decide.
 */
export const readRclone: Reader = (body, query, at) => {
  const answer = objectIn(body);
  if (answer && !('level' in answer)) return readAnswer(answer, query, at);
  const { objects, text } = parseJsonLines(body);
  if (objects.length === 0) {
    const refused = refusedCall(body);
    if (refused) return readRefused(refused, query, at);
  }
  const totals = objects.findLast((line) => isObject(line['stats']));
  const stats = sub(totals, 'stats');
  const known = totals !== undefined;
  if (!known && query.exit === null && text.length === 0 && objects.length === 0)
    return none(t.noOutput({ tool: 'rclone' }));
  if (objects.some(isDryRun) || text.some((line) => DRY_RUN.test(line))) return notARun(t.dryRun);
  const length = span(stats['elapsedTime']);
  const last = readMoment(objects.at(-1)?.['time'], null);
  const endedAt = last ?? at;
  const startedAt = endedAt - (length ?? 0) * 1000;
  const errors = whole(stats['errors']) ?? 0;
  const left = query.exit === null ? unfinished(stats, objects, text) : null;
  const bad =
    query.exit === null
      ? errors > 0 || stats['fatalError'] === true || !known || left !== null
      : query.exit !== 0 && query.exit !== 9;
  const transfers = whole(stats['transfers']);
  return one(
    {
      ...common(query, 'rclone', 'rclone'),
      type: 'Sync',
      status: bad ? 'Failed' : 'Success',
      startTime: toResultTime(startedAt),
      endTime: toResultTime(endedAt),
      durationSec: length === null ? null : Math.round(length),
      bytesTransferred: whole(stats['bytes']),
      bytesProcessed: whole(stats['totalBytes']),
      filesTotal: transfers === null ? null : transfers + (whole(stats['checks']) ?? 0),
      filesFailed: known ? errors : null,
      ...(known ? { errorCount: errors } : {}),
      message: bad ? getReason(query.exit, stats, objects, text, left) : null,
      log: logText([...objects.map(lineText), ...text].join('\n')),
      detail: details({
        transfers,
        checks: whole(stats['checks']),
        deletes: whole(stats['deletes']),
        renames: whole(stats['renames']),
        speed: amount(stats['speed']),
      }),
    },
    last === null,
  );
};

/**
 * Returns why it failed: rclone's own last error, else the most telling error line, else the
 * meaning of the exit code. Never its totals.
 */
function getReason(
  exit: number | null,
  stats: JsonObject,
  objects: readonly JsonObject[],
  text: readonly string[],
  left: string | null,
): string {
  const signal = signalSentence('rclone', exit);
  if (signal !== null) return signal;
  const last = word(stats['lastError']);
  if (last !== null) return firstLine(last) || last;
  const errors = objects.filter(
    (line) =>
      ERROR_LEVELS.has(word(line['level'])?.toLowerCase() ?? '') && !isObject(line['stats']),
  );
  const said = firstLine(
    [
      ...text.filter((line) => !isCut(line) && !TOTALS.test(line)).map(withoutVerb),
      ...errors.map(lineText),
    ].join('\n'),
  );
  if (left !== null) return left;
  return (
    said ||
    (exit === null
      ? "The output of rclone doesn't say how it ended."
      : `rclone ended with exit code ${exit}${exit in EXITS ? `: ${EXITS[exit]}` : ''}.`)
  );
}

/** The meaning of exit codes. 1 and 2 were swapped in version 1.69, so both have the same text. */
const EXITS: Readonly<Record<number, string>> = {
  1: 'a wrong command line, or an error without a code of its own',
  2: 'a wrong command line, or an error without a code of its own',
  3: 'a folder was not found',
  4: 'a file was not found',
  5: 'temporary errors that did not go away',
  6: 'errors that trying again does not help',
  7: 'a fatal error',
  8: 'the limit of what may be transferred was reached',
  10: 'the time limit was reached',
};
const ERROR_LEVELS: ReadonlySet<string> = new Set([
  'error',
  'critical',
  'alert',
  'emergency',
  'fatal',
]);
const TOTALS =
  /^\s*(?:(?:Transferred|Errors|Checks|Deleted|Renamed|Elapsed time|Transferring):|\* )/;
/**
 * `Failed to sync with 3 errors: last error was: …` contains the command's verb before the reason.
 */
const withoutVerb = (line: string): string =>
  line.replace(
    /^((?:\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d )?(?:(?:CRITICAL|ERROR|NOTICE) *: )?)Failed to \w+(?: with \d+ errors?: last error was)?: (?=\S)/,
    '$1Fatal: ',
  );

/** A dry run prints totals like a real one; only its notices show it. */
const DRY_RUN = /\bas --dry-run is set\b/;
const isDryRun = (line: JsonObject): boolean => DRY_RUN.test(word(line['msg']) ?? '');

/** Returns why the totals cannot be the last ones; null if they can. */
function unfinished(
  stats: JsonObject,
  objects: readonly JsonObject[],
  text: readonly string[],
): string | null {
  if (text.some(isCut)) return 'Interrupted: the output of rclone is cut off.';
  const stopped = [...objects.map((line) => word(line['msg']) ?? ''), ...text]
    .map((line) => SIGNAL.exec(line)?.[1])
    .find((name) => name !== undefined);
  if (stopped !== undefined) return `Interrupted: rclone received a signal (${stopped}).`;
  if ((whole(stats['errors']) ?? 0) > 0) return null;
  const missing = (total: string, done: string): number =>
    Math.max(0, (whole(stats[total]) ?? 0) - (whole(stats[done]) ?? 0));
  const open = asList(stats['transferring']).length + asList(stats['checking']).length;
  const files = Math.max(open, missing('totalTransfers', 'transfers'));
  if (files > 0)
    return `Interrupted: ${files} ${files === 1 ? 'file was' : 'files were'} still to be transferred.`;
  const checks = missing('totalChecks', 'checks');
  if (checks > 0)
    return `Interrupted: ${checks} ${checks === 1 ? 'file was' : 'files were'} still to be checked.`;
  const bytes = missing('totalBytes', 'bytes');
  return bytes > 0 ? `Interrupted: ${bytes} bytes were still to be transferred.` : null;
}

/** What rclone logs with `-v` before it ends. */
const SIGNAL = /(?:^|: ?)Signal received: (\w[\w ]{0,30})$/;

/** The beginning of a JSON line whose end is missing. */
const isCut = (line: string): boolean => /^\{"(?:level|time|msg)"/.test(line);

/**
 * Reads `rclone rc job/status`. Job numbers restart with each process, so the run's id includes its
 * start.
 */
function readAnswer(answer: JsonObject, query: ToolQuery, at: Ms): ToolReading {
  if (!('finished' in answer && 'startTime' in answer)) {
    if ('error' in answer && 'path' in answer) return readRefused(answer, query, at);
    if ('totalTransfers' in answer || 'transfers' in answer) return notARun(t.coreStats);
    if ('jobid' in answer) return notARun(t.jobNumber);
    return none(t.noOutputAtAll({ tool: 'rclone' }));
  }
  const start = readMoment(answer['startTime'], null);
  const end = readMoment(answer['endTime'], null);
  const finished = answer['finished'] === true;
  if (start === null) return none(t.startMissing);
  const id = word(answer['id']);
  const length = finished ? span(answer['duration']) : null;
  const bad = finished && answer['success'] !== true;
  const said = word(answer['error']);
  return one(
    {
      ...common(query, 'rclone', 'rclone'),
      type: 'Sync',
      status: !finished ? 'Running' : bad ? 'Failed' : 'Success',
      externalId: `job/${id ?? ''}@${word(answer['startTime']) ?? ''}`.slice(0, 300),
      startTime: toResultTime(start),
      endTime: finished ? toResultTime(Math.max(start, end ?? start + (length ?? 0) * 1000)) : null,
      durationSec: length === null ? null : Math.round(length),
      message: bad
        ? firstLine(said ?? '') || 'rclone reported that the job failed, but not why.'
        : null,
      log: bad ? logText(said ?? '') : null,
      detail: details({ jobId: id, group: word(answer['group']) }),
    },
    false,
  );
}

/** Returns a call that the remote control refused, in the output of `rclone rc`. */
function refusedCall(body: string): JsonObject | null {
  const begin = body.indexOf('{');
  const end = body.lastIndexOf('}');
  return /Failed to rc: /.test(body.slice(0, 1_000)) && begin >= 0 && end > begin
    ? objectIn(body.slice(begin, end + 1))
    : null;
}

function readRefused(answer: JsonObject, query: ToolQuery, at: Ms): ToolReading {
  const path = word(answer['path']) ?? '';
  const error = word(answer['error']) ?? 'no reason given';
  // A failed request for a result says nothing about a run.
  if (/^(?:job|core|rc)\//.test(path))
    return notARun(`rclone has no result for it: ${error}`.slice(0, 300));
  return one(
    {
      ...common(query, 'rclone', 'rclone'),
      type: 'Sync',
      status: 'Failed',
      startTime: toResultTime(at),
      endTime: toResultTime(at),
      message: firstLine(error) || error.slice(0, 500),
      log: logText(JSON.stringify(answer, null, 1)),
      detail: details({ call: path }),
    },
    true,
  );
}

function lineText(line: JsonObject): string {
  const object = word(line['object']);
  return `${word(line['time']) ?? ''} ${(word(line['level']) ?? 'info').toUpperCase()}: ${object === null ? '' : `${object}: `}${word(line['msg']) ?? ''}`.trim();
}
