import { firstLine } from '#contract/monitoring/line.ts';
import { common, details, iso, isObject, logText, list, momentOf, none, objectIn, one, type Reader, sub, whole, word } from './reading.ts';

/** What Duplicati posts with `--send-http-json-urls`: `{Data, Extra, LogLines, Exception}`. */
export const readDuplicati: Reader = (body, query, at) => {
  const report = objectIn(body);
  if (!report || !('Data' in report || 'Extra' in report)) return none('There is no report of Duplicati in it.');
  const data = sub(report, 'Data');
  const extra = sub(report, 'Extra');
  const operation = word(extra['OperationName']) ?? word(data['MainOperation']) ?? 'Backup';
  if (operation !== 'Backup') return none(`${operation} is no backup.`);
  const exception = word(report['Exception']);
  const parsed = word(data['ParsedResult']) ?? (exception === null ? 'Unknown' : 'Fatal');
  const status = STATUSES[parsed] ?? 'Failed';
  const end = momentOf(data['EndTime'], query.tz);
  const start = momentOf(data['BeginTime'], query.tz);
  const startedAt = start ?? end ?? at;
  const said = [...list(data['Errors']), ...list(data['Warnings'])].map(word).filter((line) => line !== null);
  const lines = list(report['LogLines']).map((line) => (isObject(line) ? word(line['Message']) : word(line))).filter((line) => line !== null);
  const name = word(extra['backup-name']) ?? 'duplicati';
  return one({
    ...common(query, 'duplicati', name, word(extra['machine-name']) ?? ''), type: 'Backup', status,
    ...(word(extra['backup-id']) === null ? {} : { jobInstanceUid: `${word(extra['machine-id']) ?? ''}/${word(extra['backup-id']) ?? ''}`.slice(0, 300) }),
    startTime: iso(startedAt), endTime: iso(Math.max(startedAt, end ?? at)),
    bytesTransferred: whole(sub(data, 'BackendStatistics')['BytesUploaded']) ?? whole(data['SizeOfAddedFiles']),
    bytesProcessed: whole(data['SizeOfExaminedFiles']), filesTotal: whole(data['ExaminedFiles']), filesFailed: whole(data['FilesWithError']),
    message: status === 'Success' ? null : firstLine([...said, exception ?? ''].join('\n')) || `Duplicati ended with ${parsed}.`,
    log: logText([...said, ...lines, exception ?? ''].join('\n')),
    detail: details({
      result: parsed, filesAdded: whole(data['AddedFiles']), filesModified: whole(data['ModifiedFiles']), filesDeleted: whole(data['DeletedFiles']),
      nextRun: word(extra['next-scheduled-run']),
    }),
  }, start === null || end === null);
};

const STATUSES: Readonly<Record<string, 'Success' | 'Warning' | 'Failed'>> = { Success: 'Success', Warning: 'Warning', Error: 'Failed', Fatal: 'Failed', Unknown: 'Warning' };
