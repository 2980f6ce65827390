import { firstLine } from '#contract/runs/first-line.ts';
import {
  common,
  details,
  toResultTime,
  isObject,
  type JsonObject,
  logText,
  asList,
  readMoment,
  none,
  notARun,
  objectIn,
  one,
  type Reader,
  sub,
  whole,
  word,
} from './tool-output.ts';
import { boundedId } from '../bounded-id.ts';
import { ingestAnswers as t } from '../answers.messages.en.ts';

/**
 * Reads what Duplicati posts with `--send-http-json-urls`: `{Data, Extra, LogLines, Exception}`.
 * Other operations are separate jobs beside the backup ("Laptop (Restore)"), so that a successful
 * restore does not count as a backup.
 */
export const readDuplicati: Reader = (body, query, at) => {
  const report = objectIn(body);
  if (!report || !('Data' in report || 'Extra' in report))
    return none(t.noOutputAtAll({ tool: 'Duplicati' }));
  const data = sub(report, 'Data');
  const extra = sub(report, 'Extra');
  const operation = word(extra['OperationName']) ?? word(data['MainOperation']) ?? 'Backup';
  const backup = operation === 'Backup';
  if (!backup && !RECORDED.has(operation))
    return notARun(t.otherOperation({ operation: operation.slice(0, 160) }));
  if (data['Dryrun'] === true) return notARun(t.dryRun);
  const exception = word(report['Exception']);
  const parsed = word(data['ParsedResult']) ?? (exception === null ? 'Unknown' : 'Fatal');
  const interrupted = data['Interrupted'] === true;
  const partial = data['PartialBackup'] === true;
  const reported = exception !== null || interrupted ? 'Failed' : (STATUSES[parsed] ?? 'Failed');
  const status = reported === 'Success' && partial ? 'Warning' : reported;
  const end = readMoment(data['EndTime'], query.tz);
  const start = readMoment(data['BeginTime'], query.tz);
  const startedAt = start ?? end ?? at;
  const errors = getTexts(data['Errors']);
  const warnings = getTexts(data['Warnings']);
  const lines = asList(report['LogLines'])
    .map((line) => (isObject(line) ? word(line['Message']) : word(line)))
    .filter((line) => line !== null);
  const name = query.job ?? word(extra['backup-name']) ?? 'duplicati';
  const job = backup ? name : `${name.slice(0, 180)} (${operation})`;
  return one(
    {
      ...common({ ...query, job }, 'duplicati', job, word(extra['machine-name']) ?? ''),
      ...getUid(extra, backup ? '' : `/${operation}`),
      type: backup ? 'Backup' : 'Other',
      status,
      startTime: toResultTime(startedAt),
      endTime: toResultTime(Math.max(startedAt, end ?? at)),
      bytesTransferred:
        whole(sub(data, 'BackendStatistics')['BytesUploaded']) ?? whole(data['SizeOfAddedFiles']),
      bytesProcessed: whole(data['SizeOfExaminedFiles']),
      filesTotal: whole(data['ExaminedFiles']),
      filesFailed: whole(data['FilesWithError']),
      ...counted('errorCount', whole(data['ErrorsActualLength']) ?? errors.length),
      ...counted('warningCount', whole(data['WarningsActualLength']) ?? warnings.length),
      message:
        status === 'Success'
          ? null
          : getReason(errors, warnings, exception) ||
            (interrupted
              ? 'Interrupted: Duplicati was stopped before it had finished.'
              : partial
                ? 'Incomplete: Duplicati was stopped, and only a part was saved.'
                : parsed === 'Unknown'
                  ? "Duplicati's report doesn't say how it ended."
                  : `Duplicati ended with ${parsed}.`),
      log: logText([...errors, ...warnings, ...lines, exception ?? ''].join('\n')),
      detail: details({
        result: parsed,
        operation: backup ? null : operation,
        interrupted: interrupted || null,
        partial: partial || null,
        filesAdded: whole(data['AddedFiles']),
        filesModified: whole(data['ModifiedFiles']),
        filesDeleted: whole(data['DeletedFiles']),
        nextRun: word(extra['next-scheduled-run']),
      }),
    },
    start === null || end === null,
  );
};

/** Identifies the job by its machine and id, so that renaming it has no effect. */
function getUid(extra: JsonObject, ending: string): { readonly jobInstanceUid?: string } {
  const id = word(extra['backup-id']);
  return id === null
    ? {}
    : { jobInstanceUid: boundedId(`${word(extra['machine-id']) ?? ''}/${id}${ending}`) };
}

const getTexts = (value: unknown): string[] =>
  asList(value)
    .map(word)
    .filter((line) => line !== null);
const counted = <K extends string>(name: K, count: number): { readonly [P in K]: number } =>
  ({ [name]: count }) as { readonly [P in K]: number };

/** Prefers errors to warnings, and the exception if both are empty or vague. */
const getReason = (
  errors: readonly string[],
  warnings: readonly string[],
  exception: string | null,
): string =>
  firstLine(
    [
      ...errors.map((line) => `error: ${line}`),
      ...warnings.map((line) => `warning: ${line}`),
      exception ?? '',
    ].join('\n'),
  );

/**
 * Operations that read or change saved data. The others (lists, filters, mails) cannot make a
 * backup fail.
 */
const RECORDED: ReadonlySet<string> = new Set([
  'Restore',
  'RestoreControlfiles',
  'Test',
  'Verify',
  'Compact',
  'Delete',
  'Repair',
  'RepairUpdate',
  'PurgeFiles',
  'PurgeBrokenFiles',
  'Vacuum',
  'RecreateDatabase',
]);
/** The result Unknown means that the operation did not end. */
const STATUSES: Readonly<Record<string, 'Success' | 'Warning' | 'Failed'>> = {
  Success: 'Success',
  Warning: 'Warning',
  Error: 'Failed',
  Fatal: 'Failed',
  Unknown: 'Failed',
};
