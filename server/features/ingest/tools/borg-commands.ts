import type { JsonObject } from './tool-output.ts';

/**
 * Returns the borg command that printed the lines, for example `check`, if one of them shows that
 * it was no backup; null if it can have been one.
 *
 * @param exit Null: unknown. A failure without a check is taken for one of a backup, because
 *   scripts run other commands after it.
 */
export function getOtherCommand(
  lines: readonly string[],
  objects: readonly JsonObject[],
  exit: number | null,
): string | null {
  if (lines.some((line) => CHECK.test(line))) return 'check';
  const isBad = exit !== null && exit > 1 && !(exit >= 100 && exit <= 127);
  if (isBad || lines.some(isFailure)) return null;
  if (objects.some((line) => line['type'] === 'file_status' && line['status'] === '-'))
    return DRY_RUN;
  if (lines.some((line) => LISTED.test(line)) && (exit === 0 || lines.every(isListed)))
    return DRY_RUN;
  return OTHERS.find(([pattern]) => lines.some((line) => pattern.test(line)))?.[1] ?? null;
}

export const DRY_RUN = 'create --dry-run';
/** Both print the same statistics of an archive. */
export const INFO_OR_CREATE = 'info or create';

const CHECK =
  /^(?:INFO: |ERROR: )?(?:Starting (?:repository|archive consistency|cryptographic data integrity) |finished segment check at segment \d|Index object count (?:mis)?match\.|Finished (?:full|partial) (?:repository|archive) check|(?:Archive )?consistency check complete|Repository check complete|Analyzing archive )/i;
const FAILURE =
  /^(?:ERROR|CRITICAL): |^Traceback \(most recent call last\)|^Failed to create\/acquire the lock|^passphrase supplied |^Connection closed by remote host|terminating with error status|^(?:usage: borg|borg: error:)/;

/** Two searches in one pass each: a line may be as long as the body. */
const isFailure = (line: string): boolean =>
  FAILURE.test(line) ||
  (/ (?:does not exist|is not a valid)/.test(line) && /(?:\bRepository|^Archive) /.test(line));

/** A file that a dry run would save, or leave out. Scripts begin other lines with a hyphen too. */
const LISTED = /^- \S/;
const isListed = (line: string): boolean =>
  /^[-x] \S/.test(line) && (line.includes('/') || !line.slice(2).includes(' '));

/**
 * One line of each command shows which it was. A backup never prints these, except for the
 * statistics of the last.
 */
const OTHERS: readonly (readonly [line: RegExp, command: string])[] = [
  [
    /^(?:INFO: )?(?:Keeping (?:checkpoint )?archive |Would prune: |Would keep|Pruning archive)/,
    'prune',
  ],
  [/^(?:INFO: )?compaction freed about /, 'compact'],
  [/^(?:INFO: )?Deleted data: +-?\d/, 'prune or delete'],
  [
    /^(?:By default repositories initialized with this version|IMPORTANT: you will need both KEY AND PASSPHRASE)/,
    'init',
  ],
  [/^Repository ID: [\da-f]{64}$/, 'info'],
  [
    /^.{1,4096} (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[[\da-f]{64}\]$/,
    'list',
  ],
  [/^[-dlbcpsh](?:[r-][w-][xsS-]){2}[r-][w-][xtT-] +\S+ +\S+ +\d+ \w{3}, \d{4}-/, 'list'],
  [/^Archive fingerprint: [\da-f]{64}$/, INFO_OR_CREATE],
];
