import { firstLine } from '#contract/runs/first-line.ts';

/** The joined lines of the table Log, without the backslashes that end them. */
export const baculaLog = (text: string): string =>
  text.replace(/(?<=^|\n)\\|\\(?=\r?\n|$)/g, '').trim();

/**
 * The reason in the log of a job: of its fatal lines the most telling one, of equals the last; else
 * of its error lines; else of whatever says that something could not be saved. '' where the log
 * says nothing of the kind.
 */
export function failureIn(log: string): string {
  const lines = log.split(/\r?\n/);
  for (const pattern of [FATAL, ERROR, TROUBLE]) {
    const found = lines.filter((line) => pattern.test(line) && !BANNER.test(line));
    if (found.length > 0) return firstLine(found.join('\n'), 'last');
  }
  return '';
}

const FATAL = /\bfatal error:/i;
const ERROR = /\berror:/i;
const TROUBLE = /\bwarning:|\bERR=|\b(?:could not|cannot|can't|unable to|not saved)\b/i;
/**
 * The report at the end of a failed job begins like an error: `Error: Bacula bacula-dir 9.6.7
 * (10Dec20):`. It counts, and gives no reason.
 */
const BANNER =
  /\berror: (?:bacula|bareos) \S+ \d|^\s*(?:Non-fatal )?(?:FD|SD|DIR)? ?Errors?:\s+\d|^\s*(?:FD|SD) (?:Errors|termination status):/i;
