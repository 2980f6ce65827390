import { firstLine } from '#contract/monitoring/line.ts';
import { common, details, iso, type Json, logText, momentOf, none, one, readLines, type Reader, span, sub, whole, word } from './reading.ts';

/**
 * `restic backup --json`, its standard output and error in one (0.14 and later). Exit 0 is a success, 3 a warning: some source files
 * could not be read. 0.14 writes no times: the end is the arrival, the start is before it by `total_duration`.
 */
export const readRestic: Reader = (body, query, at) => {
  const { objects, text } = readLines(body);
  const summary = objects.findLast((line) => line['message_type'] === 'summary');
  const errors = objects.filter((line) => line['message_type'] === 'error');
  const exit = query.exit ?? whole(objects.find((line) => line['message_type'] === 'exit_error')?.['code']);
  if (!summary && exit === null && text.length === 0 && errors.length === 0) return none('There is no line of restic in it, and no exit code.');
  const length = span(summary?.['total_duration']);
  const end = momentOf(summary?.['backup_end'], null);
  const endedAt = end ?? at;
  const start = momentOf(summary?.['backup_start'], null) ?? endedAt - (length ?? 0) * 1000;
  const status = statusOf(exit, summary !== undefined, errors.length);
  return one({
    ...common(query, 'restic', 'restic'), exitCode: exit, type: 'Backup', status,
    ...(word(summary?.['snapshot_id']) === null ? {} : { externalId: word(summary?.['snapshot_id']) ?? '' }),
    startTime: iso(start), endTime: iso(Math.max(start, endedAt)), durationSec: length === null ? null : Math.round(length),
    bytesTransferred: whole(summary?.['data_added_packed']) ?? whole(summary?.['data_added']),
    bytesProcessed: whole(summary?.['total_bytes_processed']), filesTotal: whole(summary?.['total_files_processed']),
    filesFailed: summary || errors.length > 0 ? errors.length : null,
    message: status === 'Success' ? null : messageOf(exit, objects, errors, text),
    log: logText([...text, ...errors.map(errorText)].join('\n')),
    detail: details({
      snapshot: word(summary?.['snapshot_id']), filesNew: whole(summary?.['files_new']), filesChanged: whole(summary?.['files_changed']),
      filesUnmodified: whole(summary?.['files_unmodified']), dataAdded: whole(summary?.['data_added']),
    }),
  }, end === null);
};

function statusOf(exit: number | null, finished: boolean, errors: number): 'Success' | 'Warning' | 'Failed' {
  if (exit === null) return finished ? (errors > 0 ? 'Warning' : 'Success') : 'Failed';
  return exit === 0 ? 'Success' : exit === 3 ? 'Warning' : 'Failed';
}

function messageOf(exit: number | null, objects: readonly Json[], errors: readonly Json[], text: readonly string[]): string {
  if (exit === 130) return 'Cancelled: restic was interrupted.';
  const last = word(objects.find((line) => line['message_type'] === 'exit_error')?.['message']);
  const [first] = errors;
  if (exit === 3 || (exit === null && first)) return first ? `Could not be read: ${errorText(first)}` : 'At least one source file could not be read.';
  return last ?? (firstLine(text.join('\n')) || (first ? errorText(first) : `restic ended with exit code ${exit ?? 1}.`));
}

/** 0.14 writes the error as `{Op, Path, Err: 13}`, later versions as `{message}`. */
function errorText(line: Json): string {
  const error = sub(line, 'error');
  const said = word(error['message']) ?? word(line['error']);
  if (said !== null) return said;
  const number = whole(error['Err']);
  const reason = number === null ? word(error['Err']) ?? 'unknown error' : ERRNO[number] ?? `error number ${number}`;
  return [word(error['Op']) ?? word(line['during']), word(error['Path']) ?? word(line['item'])].filter((part) => part !== null).join(' ') + `: ${reason}`;
}

/** What the numbers of Linux mean. */
const ERRNO: Readonly<Record<number, string>> = {
  1: 'operation not permitted', 2: 'no such file or directory', 5: 'input/output error', 13: 'permission denied', 16: 'device or resource busy',
  20: 'not a directory', 28: 'no space left on device', 40: 'too many levels of symbolic links', 116: 'stale file handle', 122: 'disk quota exceeded',
};
