import {
  amount,
  common,
  details,
  toResultTime,
  isObject,
  type JsonObject,
  jsonIn,
  asList,
  logText,
  readMoment,
  none,
  notARun,
  one,
  type Reader,
  type ToolReading,
  parseJsonLines,
  sub,
  type ToolQuery,
  whole,
  word,
} from './tool-output.ts';
import type { ExecutionIn } from '#contract/ingest/calls.ts';
import { firstLine } from '#contract/runs/first-line.ts';
import { LIMITS } from '#contract/limits.ts';
import { TASK_STATUSES } from '#contract/runs/task-status.ts';
import type { TaskIn } from '#contract/runs/task.ts';
import { signalSentence } from './exit-code.ts';
import { cutText } from '#contract/stored-text.ts';
import { ingestAnswers as t } from '../answers.messages.en.ts';

/**
 * Reads `kopia snapshot create --json`: one manifest or an array of them. An `incomplete` manifest,
 * or one with failed entries, is a failure. Each path is its own job; if the address names the job,
 * all paths are one run of it.
 */
export const readKopia: Reader = (body, query, at) => {
  const value = jsonIn(body);
  const found = isObject(value) ? [value] : asList(value).filter(isObject);
  const manifests = found.length > 0 ? found : parseJsonLines(body).objects;
  const snapshots = manifests.filter((one) => 'source' in one || 'rootEntry' in one);
  if (query.job !== null && snapshots.length > 1 && snapshots.length <= LIMITS.tasks) {
    // The exit code applies to all of them.
    const paths = snapshots.map((manifest) => readManifest(manifest, { ...query, exit: null }));
    const executions = paths.flatMap((path) => path.executions);
    if (executions.length === snapshots.length)
      return one(
        together(
          executions.map(({ execution }) => execution),
          query.exit,
        ),
        executions.some(({ byArrival }) => byArrival),
      );
  }
  const text = found.length > 0 ? '' : parseJsonLines(body).text.join('\n');
  const readings = snapshots.map((manifest) => readManifest(manifest, query, text));
  if (readings.length > 0)
    return {
      executions: readings.flatMap((one) => one.executions),
      rejected: readings.flatMap((one, index) =>
        one.rejected.map(({ error }) => ({ index, error })),
      ),
    };
  if (query.exit === null) return none(t.noOutput({ tool: 'kopia' }));
  // Other commands, such as maintenance run, end with 0 too.
  if (query.exit === 0) return notARun(t.noManifest);
  return one(
    {
      ...common(query, 'kopia', 'kopia'),
      type: 'Backup',
      status: 'Failed',
      startTime: toResultTime(at),
      endTime: toResultTime(at),
      message:
        signalSentence('kopia', query.exit) ??
        (firstLine(body) || `kopia ended with exit code ${query.exit}.`),
      log: logText(body),
    },
    true,
  );
};

/** `text`: kopia's output other than its manifests. */
function readManifest(manifest: JsonObject, query: ToolQuery, text = ''): ToolReading {
  const source = sub(manifest, 'source');
  const summary = sub(sub(manifest, 'rootEntry'), 'summ');
  const stats = sub(manifest, 'stats');
  const start = readMoment(manifest['startTime'], null);
  const end = readMoment(manifest['endTime'], null);
  if (start === null) return none(t.startMissing);
  const failed = whole(summary['numFailed']) ?? whole(stats['errorCount']) ?? 0;
  const ignored = whole(summary['numIgnoredErrors']) ?? whole(stats['ignoredErrorCount']) ?? 0;
  const incomplete = word(manifest['incomplete']) ?? word(summary['incomplete']);
  const rootless = manifest['rootEntry'] === null;
  const exited = query.exit !== null && query.exit !== 0;
  const status =
    incomplete !== null || rootless || failed > 0 || exited
      ? 'Failed'
      : ignored > 0
        ? 'Warning'
        : 'Success';
  const [first] = asList(summary['errors']).filter(isObject);
  const reason = first
    ? [word(first['path']), word(first['error'])].filter((part) => part !== null).join(': ')
    : null;
  const id = word(manifest['id']);
  const path = word(source['path']);
  return one(
    {
      ...common(query, 'kopia', path ?? 'kopia', word(source['host']) ?? ''),
      type: 'Backup',
      status,
      ...(id === null ? {} : { externalId: id }),
      startTime: toResultTime(start),
      endTime: end === null ? null : toResultTime(Math.max(start, end)),
      bytesTransferred: whole(sub(manifest, 'storageStats')['newData']),
      bytesProcessed: whole(summary['size']) ?? whole(stats['totalSize']),
      filesTotal: whole(summary['files']) ?? whole(stats['fileCount']),
      filesFailed: failed + ignored,
      ...(summary['numFailed'] === undefined ? {} : { errorCount: failed, warningCount: ignored }),
      message:
        status === 'Success'
          ? null
          : (reason ??
            (incomplete !== null
              ? `Incomplete: ${incomplete}`
              : (exited && firstLine(text)) ||
                (rootless
                  ? 'Nothing was saved: the snapshot has no root.'
                  : failed + ignored > 0
                    ? 'Some entries failed.'
                    : (signalSentence('kopia', query.exit) ??
                      `kopia ended with exit code ${query.exit}.`)))),
      detail: details({
        snapshot: id,
        path,
        user: word(source['userName']),
        directories: whole(summary['dirs']),
        ignoredErrors: amount(ignored),
      }),
    },
    end === null,
  );
}

/**
 * Returns one run for several paths, with the worst of their results. The first snapshot provides
 * the id.
 */
function together(paths: readonly ExecutionIn[], exit: number | null): ExecutionIn {
  const worst = TASK_STATUSES.flatMap(
    (status) => paths.find((path) => path.status === status) ?? [],
  )[0];
  const [first] = paths;
  if (!first || !worst) throw new Error('Nothing to put together.');
  const said = worst.message == null ? null : `${getPath(worst)}: ${worst.message}`;
  const bad = exit !== null && exit !== 0;
  const ends = paths.flatMap(({ endTime }) => endTime ?? []);
  const sum = (
    name: 'bytesTransferred' | 'bytesProcessed' | 'filesTotal' | 'filesFailed',
  ): number | null =>
    paths.every((path) => path[name] == null)
      ? null
      : paths.reduce((all, path) => all + (path[name] ?? 0), 0);
  return {
    ...first,
    exitCode: exit,
    status: bad ? 'Failed' : worst.status,
    message: bad
      ? (said ?? signalSentence('kopia', exit) ?? `kopia ended with exit code ${exit}.`)
      : said,
    startTime: paths.map(({ startTime }) => startTime).toSorted()[0] ?? first.startTime,
    endTime: ends.length < paths.length ? null : (ends.toSorted().at(-1) ?? null),
    bytesTransferred: sum('bytesTransferred'),
    bytesProcessed: sum('bytesProcessed'),
    filesTotal: sum('filesTotal'),
    filesFailed: sum('filesFailed'),
    detail: details({ paths: paths.length, user: word(first.detail?.['user']) }),
    tasks: paths.map(getTask),
  };
}

const getPath = (path: ExecutionIn): string =>
  cutText(word(path.detail?.['path']) ?? path.job, LIMITS.nameChars);

function getTask(path: ExecutionIn): TaskIn {
  const {
    status,
    startTime,
    endTime = null,
    bytesTransferred = null,
    bytesProcessed = null,
    message,
  } = path;
  return {
    name: getPath(path),
    status,
    startTime,
    durationSec:
      endTime === null ? null : Math.round((Date.parse(endTime) - Date.parse(startTime)) / 1000),
    bytesTransferred,
    bytesProcessed,
    message: message == null ? null : firstLine(message),
  };
}
