import type { ExecutionIn } from '#contract/ingest/calls.ts';
import { cutText } from '#contract/stored-text.ts';
import { firstLine } from '#contract/runs/first-line.ts';
import { DRY_RUN, getOtherCommand, INFO_OR_CREATE } from './borg-commands.ts';
import { readArchives, getRepository } from './borg-archives.ts';
import { countUnread, hasWarning, isChanged, unreadLines } from './borg-lines.ts';
import { offsetFromLog, getBorgTimes } from './borg-times.ts';
import { type BorgmaticFailure, getBorgmaticFailures } from './borgmatic.ts';
import { signalSentence, statusOfExit } from './exit-code.ts';
import {
  common,
  details,
  toResultTime,
  isObject,
  type JsonObject,
  jsonIn,
  asList,
  logText,
  none,
  notARun,
  one,
  plainLine,
  parseJsonLines,
  type Reader,
  type ToolReading,
  type ReadRun,
  sub,
  type ToolQuery,
  whole,
  word,
} from './tool-output.ts';
import { ingestAnswers as t } from '../answers.messages.en.ts';

/**
 * Reads `borg create --json` (1.2 and 1.4) with its standard error, with or without `--log-json`,
 * and borgmatic's form of it, an array with one element per repository. Exit 0 is a success, 1 (and
 * 100 to 127 of modern codes) a warning. Times are local without a zone: the zone comes from `tz`
 * or from the log; otherwise the arrival is the end. Lists of archives are read too; the output of
 * other commands is not a run.
 */
export const readBorg: Reader = (body, query, at) => {
  const { blocks: found, isArray, rest } = split(body);
  const { objects, text } = parseJsonLines(rest);
  const blocks =
    found.length > 0
      ? found
      : objects.filter((json) => isObject(json['archive']) || Array.isArray(json['archives']));
  const logged = objects.filter((line) => line['type'] === 'log_message');
  const lines = [
    ...text.map(plainLine).filter((line) => line !== ''),
    ...logged.map((line) => `${word(line['levelname']) ?? 'INFO'}: ${word(line['message']) ?? ''}`),
  ];
  const created = blocks.filter((json) => isObject(json['archive']));
  const output: Output = {
    objects,
    logged,
    lines,
    interrupted:
      logged.some((line) => word(line['msgid']) === 'Signal.SIGINT') ||
      lines.some((line) => INTERRUPTED.test(line)),
  };
  if (
    created.length === 0 &&
    blocks.some((json) => 'archives' in json || 'cache' in json || 'repository' in json)
  )
    return readArchives(blocks, query);
  if (created.length === 0) return readWithout(output, query, at, isArray);
  const runs = created.map((json) =>
    getRun(json, output, isArray ? namedFor(getPlace(json), query) : query, at, isArray),
  );
  // The array contains only the repositories that succeeded.
  const failed = isArray ? getFailed(output, query, at, created.map(getPlace)) : [];
  return {
    executions: [...runs, ...failed],
    rejected: [],
    repositories: created.flatMap((json, index) =>
      getRepository(
        json,
        query,
        runs[index]?.byArrival ? undefined : (runs[index]?.execution.endTime ?? undefined),
      ),
    ),
  };
};

interface Output {
  readonly objects: readonly JsonObject[];
  readonly logged: readonly JsonObject[];
  readonly lines: readonly string[];
  readonly interrupted: boolean;
}

const INTERRUPTED = /^(?:ERROR: )?Got Ctrl-C \/ SIGINT\.$|^(?:ERROR: )?Keyboard interrupt$/;

const getPlace = (json: JsonObject): string | null => {
  const repository = sub(json, 'repository');
  return word(repository['label']) ?? word(repository['location']);
};

/**
 * Each repository of borgmatic is its own job, because a success of one must not hide a failure of
 * another. The name is the same whether one of them or all of them succeeded.
 */
function namedFor(place: string | null, query: ToolQuery): ToolQuery {
  if (place === null) return query;
  return {
    ...query,
    job: query.job === null ? place : `${cutText(query.job, 98)} (${place.slice(-98)})`,
  };
}

/** Returns the runs of repositories that failed in borgmatic, although others succeeded. */
function getFailed(
  output: Output,
  query: ToolQuery,
  at: number,
  succeeded: readonly (string | null)[],
): readonly ReadRun[] {
  const failures = getBorgmaticFailures(output.lines).filter(
    ({ place }) => place === null || !succeeded.includes(place),
  );
  if (failures.length > 0)
    return failures.map((failure) => getFailedRun(failure, output, query, at));
  return query.exit === null || query.exit === 0
    ? []
    : readWithout(output, query, at, true).executions;
}

function getFailedRun(
  { place, lines, isWarning }: BorgmaticFailure,
  { interrupted, lines: all }: Output,
  query: ToolQuery,
  at: number,
): ReadRun {
  const status = isWarning ? 'Warning' : 'Failed';
  return {
    execution: {
      ...common(namedFor(place, query), 'borg', 'borg'),
      type: 'Backup',
      status,
      startTime: toResultTime(at),
      endTime: toResultTime(at),
      message: interrupted
        ? signalSentence('borg', 130)
        : getMessage(query.exit, status, lines, unreadLines(lines), null),
      log: logText(all.join('\n')),
    },
    byArrival: true,
  };
}

function getRun(
  json: JsonObject,
  { logged, lines: all, interrupted }: Output,
  { exit: ended, ...query }: ToolQuery,
  at: number,
  isArray: boolean,
): ReadRun {
  // The exit code and the errors of borgmatic are those of other repositories.
  const exit = isArray && ended !== 0 ? null : ended;
  const lines = isArray ? all.filter((line) => !/^(?:ERROR|CRITICAL): /.test(line)) : all;
  const archive = sub(json, 'archive');
  const stats = sub(archive, 'stats');
  const { start, end, durationSec } = getBorgTimes(
    archive,
    query.tz ?? offsetFromLog(archive, logged),
  );
  const endedAt = end ?? at;
  const startedAt = start ?? endedAt - (durationSec ?? 0) * 1000;
  const unread = unreadLines(lines);
  const status =
    exit === null || isArray
      ? hasWarning(lines)
        ? 'Warning'
        : 'Success'
      : statusOfExit('borg', exit);
  const files = whole(stats['nfiles']);
  const id = word(archive['id']);
  const execution: ExecutionIn = {
    ...common({ ...query, exit }, 'borg', 'borg'),
    type: 'Backup',
    status,
    ...(id === null ? {} : { externalId: id }),
    startTime: toResultTime(startedAt),
    endTime: toResultTime(Math.max(startedAt, endedAt)),
    durationSec: durationSec === null ? null : Math.round(durationSec),
    bytesTransferred: whole(stats['deduplicated_size']),
    bytesProcessed: whole(stats['original_size']),
    filesTotal: files,
    filesFailed: countUnread(unread),
    message:
      status === 'Success'
        ? null
        : interrupted
          ? signalSentence('borg', 130)
          : getMessage(exit, status, lines, unread, files),
    log: logText(all.join('\n')),
    detail: details({
      archive: word(archive['name']),
      repository: word(sub(json, 'repository')['location']),
      compressedSize: whole(stats['compressed_size']),
      repositorySize: whole(sub(sub(json, 'cache'), 'stats')['unique_csize']),
    }),
  };
  return { execution, byArrival: end === null || start === null };
}

/** Reads output without an archive: borg failed, or this was not a backup. */
function readWithout(output: Output, query: ToolQuery, at: number, isArray: boolean): ToolReading {
  const { lines, interrupted } = output;
  const exit = query.exit;
  // Before anything else: other commands of the same run may have printed their lines too.
  const failures = exit === 0 ? [] : getBorgmaticFailures(lines);
  if (failures.length > 0)
    return {
      executions: failures.map((failure) => getFailedRun(failure, output, query, at)),
      rejected: [],
    };
  const command = getOtherCommand(lines, output.objects, exit);
  if (command === DRY_RUN) return notARun(t.dryRun);
  if (command === INFO_OR_CREATE) return notARun(t.noArchive);
  if (command !== null) return notARun(t.notBackup({ command: `borg ${command}` }));
  if (exit === null && lines.length === 0)
    return isArray ? notARun(t.noArchives) : none(t.noOutput({ tool: 'borg' }));
  if (exit === 0) return notARun(t.noArchive);
  if (lines.length > 0 && lines.every((line) => /^(?:INFO: )?terminating with success/.test(line)))
    return notARun(t.noArchive);
  const crashed = lines.some((line) => line.startsWith('Traceback (most recent call last)'));
  const status = exit === null || crashed || isArray ? 'Failed' : statusOfExit('borg', exit);
  return one(
    {
      ...common(query, 'borg', 'borg'),
      type: 'Backup',
      status,
      startTime: toResultTime(at),
      endTime: toResultTime(at),
      message: interrupted
        ? signalSentence('borg', 130)
        : getMessage(exit, status, lines, unreadLines(lines), null),
      log: logText(lines.join('\n')),
    },
    true,
  );
}

function getMessage(
  exit: number | null,
  status: string,
  lines: readonly string[],
  unread: readonly string[],
  files: number | null,
): string {
  const signal = signalSentence('borg', exit);
  if (signal !== null) return signal;
  const first = unread.find((line) => !isChanged(line)) ?? unread[0];
  if (status === 'Warning' && first !== undefined)
    return `${files === 0 ? 'Nothing was saved: ' : isChanged(first) ? '' : 'Could not be read: '}${firstLine(first)}`;
  const line = firstLine(
    lines.filter((text) => !/^(?:INFO: )?terminating with /.test(text)).join('\n'),
  );
  if (files === 0 && status === 'Warning')
    return line === '' ? 'Nothing was saved: the archive is empty.' : `Nothing was saved: ${line}`;
  return line || `borg ended with exit code ${exit ?? 2}.`;
}

interface Split {
  readonly blocks: readonly JsonObject[];
  readonly isArray: boolean;
  readonly rest: string;
}

/**
 * Borg writes its JSON over many lines, the first of which is `{` and the last `}`; borgmatic
 * writes an array on one line.
 */
function split(body: string): Split {
  const all = blocksIn(body);
  if (all !== null) return { ...all, rest: '' };
  const array = /^\[(?:\{|\]).*$/m.exec(body);
  const inLine = array ? blocksIn(array[0]) : null;
  if (array && inLine)
    return {
      ...inLine,
      rest: body.slice(0, array.index) + body.slice(array.index + array[0].length),
    };
  // Two separate searches: a pattern for both would search for the end again from every beginning.
  const first = /^[{[]\r?\n/m.exec(body);
  const end = first?.[0].startsWith('[') ? /^\]\r?$/gm : /^\}\r?$/gm;
  end.lastIndex = first ? first.index + first[0].length : body.length;
  const last = end.exec(body);
  const found =
    first && last ? blocksIn(body.slice(first.index, last.index + last[0].length)) : null;
  return found && first && last
    ? { ...found, rest: body.slice(0, first.index) + body.slice(last.index + last[0].length) }
    : { blocks: [], isArray: false, rest: body };
}

function blocksIn(text: string): Omit<Split, 'rest'> | null {
  const value = jsonIn(text);
  if (Array.isArray(value)) return { blocks: asList(value).filter(isObject), isArray: true };
  return isObject(value) && ('archive' in value || 'archives' in value || 'repository' in value)
    ? { blocks: [value], isArray: false }
    : null;
}
