import {
  common,
  details,
  toResultTime,
  type JsonObject,
  asList,
  readMoment,
  pickNewest,
  notARun,
  type ToolReading,
  type ReadRun,
  sub,
  type ToolQuery,
  whole,
  word,
} from './tool-output.ts';
import { ingestAnswers as t } from '../answers.messages.en.ts';

/**
 * Reads `restic snapshots --json`: each snapshot is a successful backup. Version 0.17 and later
 * write a summary into the snapshot; before that, only the start is known.
 */
export function readSnapshots(snapshots: readonly JsonObject[], query: ToolQuery): ToolReading {
  if (snapshots.length === 0) return notARun(t.noSnapshots);
  const { points, note } = pickNewest(snapshots, getStart);
  const rejected: { index: number; error: string }[] = [];
  const executions = points.flatMap((snapshot, index): ReadRun[] => {
    const id = word(snapshot['id']);
    const time = readMoment(snapshot['time'], null);
    if (id !== null && /^[\da-f]{8,64}$/.test(id) && time !== null)
      return [getRun(snapshot, id, time, query)];
    rejected.push({ index, error: t.snapshotIncomplete });
    return [];
  });
  return { executions, rejected, ...(note === undefined ? {} : { note }) };
}

const getStart = (snapshot: JsonObject): number => readMoment(snapshot['time'], null) ?? 0;

function getRun(snapshot: JsonObject, id: string, time: number, query: ToolQuery): ReadRun {
  const summary = sub(snapshot, 'summary');
  const start = readMoment(summary['backup_start'], null) ?? time;
  const end = readMoment(summary['backup_end'], null);
  const paths = asList(snapshot['paths']).flatMap((path) => word(path) ?? []);
  const { exitCode: _, ...fields } = common(
    { ...query, host: word(snapshot['hostname']) ?? query.host },
    'restic',
    paths.join(', '),
  );
  return {
    byArrival: false,
    listed: true,
    shortId: id.slice(0, 8),
    execution: {
      ...fields,
      type: 'Backup',
      status: 'Success',
      externalId: id,
      startTime: toResultTime(start),
      endTime: toResultTime(Math.max(start, end ?? start)),
      durationSec: end === null ? null : Math.max(0, Math.round((end - start) / 1000)),
      bytesTransferred: whole(summary['data_added_packed']) ?? whole(summary['data_added']),
      bytesProcessed: whole(summary['total_bytes_processed']),
      filesTotal: whole(summary['total_files_processed']),
      detail: details({
        snapshot: id,
        paths: paths.join(', ') || null,
        tags:
          asList(snapshot['tags'])
            .flatMap((tag) => word(tag) ?? [])
            .join(', ') || null,
        filesNew: whole(summary['files_new']),
        filesChanged: whole(summary['files_changed']),
        filesUnmodified: whole(summary['files_unmodified']),
      }),
    },
  };
}
