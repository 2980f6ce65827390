import { firstLine } from '#contract/runs/first-line.ts';

/** Returns the joined lines of the table Log without their trailing backslashes. */
export const baculaLog = (text: string): string =>
  text.replace(/(?<=^|\n)\\|\\(?=\r?\n|$)/g, '').trim();

/**
 * Returns the reason of a failure from a job's log: the most telling fatal line (the last of equal
 * ones), else an error line, else a line that says that something could not be saved. '' if there
 * is none.
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
 * (10Dec20):`. Its lines are counts and give no reason.
 */
const BANNER =
  /\berror: (?:bacula|bareos) \S+ \d|^\s*(?:Non-fatal )?(?:FD|SD|DIR)? ?Errors?:\s+\d|^\s*(?:FD|SD) (?:Errors|termination status):/i;
