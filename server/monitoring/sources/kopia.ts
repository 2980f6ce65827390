import { amount, common, details, iso, isObject, type Json, jsonIn, list, logText, momentOf, none, one, type Reader, type Reading, readLines, sub, type ToolQuery, whole, word } from './reading.ts';
import { firstLine } from '#contract/monitoring/line.ts';

/** `kopia snapshot create --json`: one manifest, or an array of them. An `incomplete` one, or one with failed entries, has failed. */
export const readKopia: Reader = (body, query, at) => {
  const value = jsonIn(body);
  const found = isObject(value) ? [value] : list(value).filter(isObject);
  const manifests = found.length > 0 ? found : readLines(body).objects;
  const readings = manifests.filter((one) => 'source' in one || 'rootEntry' in one).map((manifest) => readManifest(manifest, query));
  if (readings.length > 0) return { executions: readings.flatMap((one) => one.executions), rejected: readings.flatMap((one, index) => one.rejected.map(({ error }) => ({ index, error }))) };
  if (query.exit === null) return none('There is no manifest of kopia in it, and no exit code.');
  const bad = query.exit !== 0;
  return one({
    ...common(query, 'kopia', 'kopia'), type: 'Backup', status: bad ? 'Failed' : 'Success', startTime: iso(at), endTime: iso(at),
    message: bad ? firstLine(body) || `kopia ended with exit code ${query.exit}.` : null, log: logText(body),
  }, true);
};

function readManifest(manifest: Json, query: ToolQuery): Reading {
  const source = sub(manifest, 'source');
  const summary = sub(sub(manifest, 'rootEntry'), 'summ');
  const stats = sub(manifest, 'stats');
  const start = momentOf(manifest['startTime'], null);
  const end = momentOf(manifest['endTime'], null);
  if (start === null) return none('startTime is missing.');
  const failed = whole(summary['numFailed']) ?? whole(stats['errorCount']) ?? 0;
  const ignored = whole(summary['numIgnoredErrors']) ?? whole(stats['ignoredErrorCount']) ?? 0;
  const incomplete = word(manifest['incomplete']);
  const status = incomplete !== null || failed > 0 || (query.exit !== null && query.exit !== 0) ? 'Failed' : ignored > 0 ? 'Warning' : 'Success';
  const [first] = list(summary['errors']).filter(isObject);
  const reason = first ? [word(first['path']), word(first['error'])].filter((part) => part !== null).join(': ') : null;
  const id = word(manifest['id']);
  const path = word(source['path']);
  return one({
    ...common(query, 'kopia', path ?? 'kopia', word(source['host']) ?? ''), type: 'Backup', status,
    ...(id === null ? {} : { externalId: id }),
    startTime: iso(start), endTime: end === null ? null : iso(Math.max(start, end)),
    bytesTransferred: whole(sub(manifest, 'storageStats')['newData']), bytesProcessed: whole(summary['size']) ?? whole(stats['totalSize']),
    filesTotal: whole(summary['files']) ?? whole(stats['fileCount']), filesFailed: failed + ignored,
    message: status === 'Success' ? null : reason ?? (incomplete === null ? 'Some entries failed.' : `Incomplete: ${incomplete}`),
    detail: details({ snapshot: id, path, user: word(source['userName']), directories: whole(summary['dirs']), ignoredErrors: amount(ignored) }),
  }, end === null);
}
