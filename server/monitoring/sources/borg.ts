import { firstLine } from '#contract/monitoring/line.ts';
import { common, details, iso, type Json, logText, momentOf, none, objectIn, one, readLines, type Reader, span, sub, whole, word } from './reading.ts';

/**
 * `borg create --json` (1.2 and 1.4), followed by its standard error, with or without `--log-json`. Exit 0 is a success, 1 (and 100 to
 * 127 of modern codes) a warning. Times are local and carry no zone: without `tz` the end is the arrival.
 */
export const readBorg: Reader = (body, query, at) => {
  const { json, rest } = split(body);
  const { objects, text } = readLines(rest);
  const logged = objects.filter((line) => line['type'] === 'log_message');
  const lines = [...text, ...logged.map((line) => `${word(line['levelname']) ?? 'INFO'}: ${word(line['message']) ?? ''}`)];
  const archive = json ? sub(json, 'archive') : null;
  if (!archive && query.exit === null && lines.length === 0) return none('There is no archive of borg in it, and no exit code.');
  const status = statusOf(query.exit, archive !== null, lines);
  const stats = sub(archive, 'stats');
  const length = span(archive?.['duration']);
  const end = momentOf(archive?.['end'], query.tz);
  const start = momentOf(archive?.['start'], query.tz);
  const endedAt = end ?? at;
  const startedAt = start ?? endedAt - (length ?? 0) * 1000;
  const id = word(archive?.['id']);
  const unread = lines.filter((line) => UNREAD.test(line)).length;
  return one({
    ...common(query, 'borg', 'borg'), type: 'Backup', status,
    ...(id === null ? {} : { externalId: id }),
    startTime: iso(startedAt), endTime: iso(Math.max(startedAt, endedAt)), durationSec: length === null ? null : Math.round(length),
    bytesTransferred: whole(stats['deduplicated_size']), bytesProcessed: whole(stats['original_size']), filesTotal: whole(stats['nfiles']),
    filesFailed: archive ? unread : null,
    message: status === 'Success' ? null : messageOf(query.exit, status, lines),
    log: logText(lines.join('\n')),
    detail: details({
      archive: word(archive?.['name']), repository: word(sub(json, 'repository')['location']), compressedSize: whole(stats['compressed_size']),
      repositorySize: whole(sub(sub(json, 'cache'), 'stats')['unique_csize']),
    }),
  }, end === null || start === null);
};

function statusOf(exit: number | null, finished: boolean, lines: readonly string[]): 'Success' | 'Warning' | 'Failed' {
  if (exit === null) return !finished ? 'Failed' : lines.some((line) => UNREAD.test(line) || /^warning/i.test(line)) ? 'Warning' : 'Success';
  if (exit === 0) return 'Success';
  return exit === 1 || (exit >= 100 && exit <= 127) ? 'Warning' : 'Failed';
}

const UNREAD = /: (?:open|stat|read|scandir|lstat|listxattr|flistxattr|dir_open|file_open|input\/output)[^:]*: \[Errno \d+\]|: file changed while we backed it up/i;

function messageOf(exit: number | null, status: string, lines: readonly string[]): string {
  const unread = status === 'Warning' ? lines.find((line) => UNREAD.test(line)) : undefined;
  if (unread !== undefined) return `Could not be read: ${firstLine(unread)}`;
  if (exit !== null && exit >= 128) return `Cancelled: borg was ended by signal ${exit - 128}.`;
  return firstLine(lines.join('\n')) || `borg ended with exit code ${exit ?? 2}.`;
}

/** Borg writes its JSON over many lines, the first of which is `{` and the last `}`. */
function split(body: string): { readonly json: Json | null; readonly rest: string } {
  const whole = objectIn(body);
  if (whole && 'archive' in whole) return { json: whole, rest: '' };
  // One look for each of them: a pattern for both would look for the end again from every beginning.
  const first = /^\{\r?\n/m.exec(body), end = /^\}$/gm;
  end.lastIndex = first ? first.index + first[0].length : body.length;
  const last = end.exec(body), json = first && last ? objectIn(body.slice(first.index, last.index + 1)) : null;
  return json && first && last ? { json, rest: body.slice(0, first.index) + body.slice(last.index + 1) } : { json: null, rest: body };
}
