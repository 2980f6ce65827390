import { LIMITS } from '#contract/limits.ts';
import type { RepositoryIn } from '#contract/ingest/calls.ts';
import { getBorgTimes } from './borg-times.ts';
import {
  common,
  details,
  toResultTime,
  isObject,
  type JsonObject,
  asList,
  pickNewest,
  none,
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
 * Returns the size of a repository if the output contains it: the deduplicated size of all
 * archives.
 */
export function getRepository(json: JsonObject, query: ToolQuery, at?: string): RepositoryIn[] {
  const repository = sub(json, 'repository');
  const usedBytes = whole(sub(sub(json, 'cache'), 'stats')['unique_csize']);
  const location = word(repository['location']);
  const id = word(repository['id']);
  if (usedBytes === null || (location === null && id === null)) return [];
  const name = (location ?? id ?? 'borg').slice(-LIMITS.nameChars);
  return [
    {
      name,
      type: 'borg',
      usedBytes,
      ...(id === null ? {} : { uid: id.slice(0, 300) }),
      ...(location === null ? {} : { path: location.slice(-500) }),
      ...(query.host === null ? {} : { hostName: query.host }),
      ...(at === undefined ? {} : { at }),
    },
  ];
}

/**
 * Reads `borg list --json` and `borg info --json`, of one or more repositories. Each archive is a
 * successful backup. What an archive adds to its repository is not read, because that shrinks with
 * every archive that shares its data.
 */
export function readArchives(blocks: readonly JsonObject[], query: ToolQuery): ToolReading {
  const repositories = blocks.flatMap((json) => getRepository(json, query));
  const archives = blocks.flatMap((json) =>
    asList(json['archives'])
      .filter(isObject)
      .map((archive) => ({ archive, repository: word(sub(json, 'repository')['location']) })),
  );
  const complete = archives.filter(
    ({ archive }) => !/\.checkpoint(?:\.\d+)?$/.test(word(archive['name']) ?? ''),
  );
  if (complete.length === 0) {
    if (repositories.length > 0) return { executions: [], rejected: [], repositories };
    return notARun(t.noArchives);
  }
  if (query.tz === null && complete.some(({ archive }) => needsZone(archive)))
    return none('tz: borg writes times without a zone, so the address must name it');
  const getStart = ({ archive }: { readonly archive: JsonObject }): number =>
    getBorgTimes(archive, query.tz).start ?? 0;
  const { points, note } = pickNewest(complete, getStart);
  const rejected: { index: number; error: string }[] = [];
  const executions = points.flatMap(({ archive, repository }, index): ReadRun[] => {
    const { start, end, durationSec } = getBorgTimes(archive, query.tz);
    const id = word(archive['id']);
    if (id !== null && start !== null)
      return [getRun(archive, id, repository, { start, end, durationSec }, query)];
    rejected.push({ index, error: t.archiveIncomplete });
    return [];
  });
  return { executions, rejected, repositories, ...(note === undefined ? {} : { note }) };
}

const needsZone = (archive: JsonObject): boolean =>
  (word(archive['start']) ?? word(archive['time'])) !== null &&
  getBorgTimes(archive, null).start === null;

function getRun(
  archive: JsonObject,
  id: string,
  repository: string | null,
  times: { start: number; end: number | null; durationSec: number | null },
  query: ToolQuery,
): ReadRun {
  const stats = sub(archive, 'stats');
  const { exitCode: _, ...fields } = common(
    { ...query, host: word(archive['hostname']) ?? query.host },
    'borg',
    repository ?? 'borg',
  );
  return {
    byArrival: false,
    listed: true,
    execution: {
      ...fields,
      type: 'Backup',
      status: 'Success',
      externalId: id,
      startTime: toResultTime(times.start),
      endTime: toResultTime(times.end ?? times.start),
      durationSec: times.durationSec === null ? null : Math.round(times.durationSec),
      bytesProcessed: whole(stats['original_size']),
      filesTotal: whole(stats['nfiles']),
      detail: details({
        archive: word(archive['name']),
        repository,
        comment: word(archive['comment']),
      }),
    },
  };
}
