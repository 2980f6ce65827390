import { firstLine } from '#contract/monitoring/line.ts';
import { amount, common, details, iso, logText, momentOf, none, one, readLines, type Reader, span, sub, whole, word } from './reading.ts';

/**
 * The log of `rclone … --use-json-log --stats-log-level NOTICE` (1.60 and later): its last line with `stats` says what was done. Exit 0
 * is a success; 9 too: nothing needed to be transferred.
 */
export const readRclone: Reader = (body, query, at) => {
  const { objects, text } = readLines(body);
  const stats = sub(objects.findLast((line) => typeof line['stats'] === 'object'), 'stats');
  const known = Object.keys(stats).length > 0;
  if (!known && query.exit === null && text.length === 0 && objects.length === 0) return none('There is no line of rclone in it, and no exit code.');
  const length = span(stats['elapsedTime']);
  const last = momentOf(objects.at(-1)?.['time'], null);
  const endedAt = last ?? at;
  const startedAt = endedAt - (length ?? 0) * 1000;
  const errors = whole(stats['errors']) ?? 0;
  const lines = [...objects.map(lineText), ...text];
  const bad = query.exit === null ? errors > 0 || !known : query.exit !== 0 && query.exit !== 9;
  const transfers = whole(stats['transfers']);
  return one({
    ...common(query, 'rclone', 'rclone'), type: 'Sync', status: bad ? 'Failed' : 'Success',
    startTime: iso(startedAt), endTime: iso(endedAt), durationSec: length === null ? null : Math.round(length),
    bytesTransferred: whole(stats['bytes']), bytesProcessed: whole(stats['totalBytes']),
    filesTotal: transfers === null ? null : transfers + (whole(stats['checks']) ?? 0), filesFailed: known ? errors : null,
    message: bad ? word(stats['lastError']) ?? (firstLine(lines.join('\n')) || `rclone ended with exit code ${query.exit ?? 1}.`) : null,
    log: logText(lines.join('\n')),
    detail: details({ transfers, checks: whole(stats['checks']), deletes: whole(stats['deletes']), renames: whole(stats['renames']), speed: amount(stats['speed']) }),
  }, last === null);
};

function lineText(line: Readonly<Record<string, unknown>>): string {
  const object = word(line['object']);
  return `${word(line['time']) ?? ''} ${(word(line['level']) ?? 'info').toUpperCase()}: ${object === null ? '' : `${object}: `}${word(line['msg']) ?? ''}`.trim();
}
