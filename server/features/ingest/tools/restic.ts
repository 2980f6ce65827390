import { firstLine } from '#contract/runs/first-line.ts';
import { signalSentence } from './exit-code.ts';
import {
  common,
  details,
  toResultTime,
  isObject,
  type JsonObject,
  jsonIn,
  logText,
  readMoment,
  none,
  notARun,
  one,
  plainLine,
  parseJsonLines,
  type Reader,
  type ToolReading,
  span,
  type ToolQuery,
  whole,
  word,
} from './tool-output.ts';
import { countErrors, errorText, hasReason } from './restic-errors.ts';
import { readSnapshots } from './restic-snapshots.ts';
import { ingestAnswers as t } from '../answers.messages.en.ts';

/**
 * Reads `restic backup --json`, its standard output and error combined (0.14 and later). Exit 0 is
 * a success, 3 a warning: some source files could not be read. Version 0.14 writes no times: the
 * arrival is the end, and the start is earlier by `total_duration`. Lists of snapshots and
 * statistics are read too; the output of other commands is not a run.
 */
export const readRestic: Reader = (body, query, at) => {
  const array = arrayIn(body);
  if (array !== undefined) return readArray(array, query);
  const { objects, text: raw } = parseJsonLines(body);
  const text = raw
    .map(plainLine)
    .filter((line) => line !== '' && !PROGRESS.test(line) && !PIECE.test(line));
  const summary = objects.findLast(isBackupSummary);
  const errors = objects.filter((line) => line['message_type'] === 'error');
  const exit =
    query.exit ?? whole(objects.find((line) => line['message_type'] === 'exit_error')?.['code']);
  if (summary?.['dry_run'] === true) return notARun(t.dryRun);
  const other = summary ? null : otherOutput(objects, text, query);
  if (other !== null) return other;
  const saved = summary ? undefined : getSaved(text);
  if (!summary && exit === null && text.length === 0 && errors.length === 0)
    return none(t.noOutput({ tool: 'restic' }));
  if (!summary && saved === undefined && exit === 0) return notARun(t.noSummary);
  const skipped = text.find((line) => SKIPPED.test(line)) ?? text.find((line) => UNREAD.test(line));
  const length = span(summary?.['total_duration']);
  const end = readMoment(summary?.['backup_end'], null);
  const endedAt = end ?? at;
  const start = readMoment(summary?.['backup_start'], null) ?? endedAt - (length ?? 0) * 1000;
  const status = getStatus(
    exit,
    summary !== undefined || saved !== undefined,
    errors.length > 0 || skipped !== undefined,
  );
  const id = word(summary?.['snapshot_id']) ?? saved ?? null;
  const reading = one(
    {
      ...common(query, 'restic', 'restic'),
      exitCode: exit,
      type: 'Backup',
      status,
      ...(id === null ? {} : { externalId: id }),
      startTime: toResultTime(start),
      endTime: toResultTime(Math.max(start, endedAt)),
      durationSec: length === null ? null : Math.round(length),
      bytesTransferred: whole(summary?.['data_added_packed']) ?? whole(summary?.['data_added']),
      bytesProcessed: whole(summary?.['total_bytes_processed']),
      filesTotal: whole(summary?.['total_files_processed']),
      filesFailed: summary || errors.length > 0 ? countErrors(errors) : null,
      message:
        status === 'Success' ? null : getMessage(exit, status, objects, errors, text, skipped),
      log: logText([...new Set([...text, ...errors.map(errorText)])].join('\n')),
      detail: details({
        snapshot: id,
        filesNew: whole(summary?.['files_new']),
        filesChanged: whole(summary?.['files_changed']),
        filesUnmodified: whole(summary?.['files_unmodified']),
        dataAdded: whole(summary?.['data_added']),
      }),
    },
    end === null,
  );
  return id === null || id.length <= SHORT
    ? reading
    : {
        ...reading,
        executions: reading.executions.map((run) => ({ ...run, shortId: id.slice(0, SHORT) })),
      };
};

/** The length of a snapshot id in the output of 0.14. */
const SHORT = 8;
const SAVED = /^snapshot ([\da-f]{8,64}) saved$/;
const SKIPPED = / does not exist, skipping$/;
/** An unreadable file without `--json`. */
const UNREAD = /^error: (?=\S)/;
/** `[0:05] 12.00%  3 / 25 packs`: a progress line. */
const PROGRESS = /^\[\d+:\d\d(?::\d\d)?\] +\d+(?:\.\d+)?%/;
/** The rest of a JSON line whose beginning is missing. */
const PIECE = /"(?:message_type|percent_done|item|during|snapshot_id)":|"\]?\}$/;

/** Restore, check and tag end with a summary too. */
const isBackupSummary = (line: JsonObject): boolean =>
  line['message_type'] === 'summary' &&
  ('files_new' in line || 'total_duration' in line || 'snapshot_id' in line);

/** Returns the first array in the output: the whole output, or a line of it. */
function arrayIn(body: string): readonly unknown[] | undefined {
  const all = jsonIn(body);
  if (Array.isArray(all)) return all as readonly unknown[];
  if (all === null) return [];
  const line = /^\[(?:\{|\]).*$/m.exec(body)?.[0];
  const value = line === undefined ? undefined : jsonIn(line);
  return Array.isArray(value) ? (value as readonly unknown[]) : undefined;
}

function readArray(array: readonly unknown[], query: ToolQuery): ToolReading {
  const groups = array.filter(isObject);
  if (groups.some((group) => 'keep' in group || 'remove' in group))
    return notARun(t.notBackup({ command: 'restic forget' }));
  const snapshots = groups.flatMap((group) =>
    Array.isArray(group['snapshots']) ? group['snapshots'].filter(isObject) : [group],
  );
  if (
    groups.length === array.length &&
    snapshots.every((snapshot) => 'tree' in snapshot && 'time' in snapshot)
  )
    return readSnapshots(snapshots, query);
  return none(t.notRestic);
}

/** Reads the output of other restic commands. Null: it can be the output of a backup. */
function otherOutput(
  objects: readonly JsonObject[],
  text: readonly string[],
  query: ToolQuery,
): ToolReading | null {
  const stats = objects.find((line) => 'total_size' in line && 'snapshots_count' in line);
  if (stats) return readStats(stats, query);
  const types = new Set(
    objects.map((line) => word(line['message_type']) ?? word(line['struct_type'])),
  );
  if (['status', 'verbose_status', 'error'].some((type) => types.has(type))) return null;
  const ended = objects.findLast((line) => line['message_type'] === 'summary');
  const command = ended
    ? 'num_errors' in ended
      ? 'check'
      : 'files_restored' in ended || 'bytes_restored' in ended
        ? 'restore'
        : 'another command'
    : types.has('initialized')
      ? 'init'
      : types.has('node')
        ? 'ls'
        : types.has('statistics')
          ? 'diff'
          : getCommand(text);
  if (command === DRY) return notARun(t.dryRun);
  return command === null
    ? null
    : notARun(
        t.notBackup({
          command: command === 'another command' ? 'another restic command' : `restic ${command}`,
        }),
      );
}

function getCommand(text: readonly string[]): string | null {
  const [line, command, isCertain] =
    OTHERS.find(([pattern]) => text.some((one) => pattern.test(one))) ?? [];
  if (line === undefined || command === undefined || getSaved(text) !== undefined) return null;
  const fatal = text.findIndex((one) => one.startsWith('Fatal: '));
  // What failed before this command began may have been a backup.
  const isOwn = isCertain === true && fatal > text.findIndex((one) => line.test(one));
  return fatal === -1 || isOwn ? command : null;
}

/** Returns the snapshot that a backup saved. Snapshots that were copied end with the same line. */
function getSaved(text: readonly string[]): string | undefined {
  const copied = text.findIndex((line) => COPIED.test(line));
  return (copied === -1 ? text : text.slice(0, copied))
    .map((line) => SAVED.exec(line)?.[1])
    .findLast((id) => id !== undefined);
}

const COPIED =
  /^ *copy started, this may take a while|^skipping (?:source )?snapshot [\da-f]{8,64}, was already copied/;
const DRY = 'backup --dry-run';
/** One line of each command shows which it was, with `true` also if it failed. */
const OTHERS: readonly (readonly [line: RegExp, command: string, isCertain?: true])[] = [
  [/^(?:check all packs|check snapshots, trees and blobs|no errors were found)$/, 'check', true],
  [COPIED, 'copy', true],
  [/^restoring <?snapshot [\da-f]{8,64} of \[/i, 'restore', true],
  [/^Would add to the repository: /, DRY],
  [/^Stats in [\w-]+ mode:$/, 'stats'],
  [/^Applying Policy: |^\d+ snapshots have been removed/, 'forget'],
  [/^(?:to repack: |total prune: |collecting packs for deletion)/, 'prune'],
  [/^modified tags on \d+ snapshots$|^no snapshots were modified$/, 'tag'],
  [/^Found matching entries in snapshot /, 'find'],
  [/^(?:getting pack files to read\.\.\.|rebuilding index)$/, 'repair index'],
  [/^found \d+ unreferenced roots$/, 'recover'],
  [/^saved new snapshot [\da-f]{8,64}$/, 'rewrite'],
  [/^snapshot [\da-f]{8,64} of \[.*\bat \d{4}-/, 'ls'],
  [/^ID {2,}Time {2,}Host /, 'snapshots'],
  [/^ *ID {2,}User {2,}Host {2,}Created/, 'key list'],
  [/^Repo ID {2,}Last Used {2,}/, 'cache'],
  [/^created restic repository /, 'init'],
  [/^(?:successfully removed locks|successfully removed \d+ locks)$/, 'unlock'],
];

/** Only `raw-data` is the size of the repository; the other modes return the size of a restore. */
function readStats(stats: JsonObject, query: ToolQuery): ToolReading {
  const usedBytes = whole(stats['total_size']);
  if (
    !('total_blob_count' in stats) ||
    (whole(stats['total_file_count']) ?? 0) > 0 ||
    usedBytes === null
  ) {
    return notARun(t.wrongStatistics);
  }
  const name = query.job ?? 'restic repository';
  return {
    executions: [],
    rejected: [],
    repositories: [
      { name, type: 'restic', usedBytes, ...(query.host === null ? {} : { hostName: query.host }) },
    ],
  };
}

function getStatus(
  exit: number | null,
  finished: boolean,
  troubled: boolean,
): 'Success' | 'Warning' | 'Failed' {
  if (exit === null) return finished ? (troubled ? 'Warning' : 'Success') : 'Failed';
  return exit === 0 ? (troubled ? 'Warning' : 'Success') : exit === 3 ? 'Warning' : 'Failed';
}

function getMessage(
  exit: number | null,
  status: string,
  objects: readonly JsonObject[],
  errors: readonly JsonObject[],
  text: readonly string[],
  skipped: string | undefined,
): string {
  const signal = signalSentence('restic', exit);
  if (signal !== null) return signal;
  const first = errors.find(hasReason) ?? errors[0];
  if (status === 'Warning')
    return first
      ? `Could not be read: ${errorText(first)}`
      : skipped === undefined
        ? 'At least one source file could not be read.'
        : skipped.replace(UNREAD, 'Could not be read: ');
  const last = word(objects.find((line) => line['message_type'] === 'exit_error')?.['message']);
  return (
    last ??
    (firstLine(text.join('\n')) ||
      (first ? errorText(first) : `restic ended with exit code ${exit ?? 1}.`))
  );
}
