import type { Execution } from '#contract/runs/calls.ts';
import { formatBytes, formatCount, formatDuration } from '#src/ui/format.ts';
import { runPanelMessages as t } from './messages.en.ts';

export interface Detail {
  readonly key: string;
  readonly label: string;
  readonly value: string;
}

/**
 * PANEL-8: what a tool reports beside the fields that all tools have. A key of your own script is
 * its own label. Empty values are left out.
 */
export const detailsOf = ({ detail }: Pick<Execution, 'detail'>): readonly Detail[] =>
  Object.entries(detail).flatMap(([key, value]) =>
    value === null || value === ''
      ? []
      : [{ key, label: labels().get(key) ?? key, value: textOf(key, value) }],
  );

const BYTES = new Set(['compressedSize', 'repositorySize', 'dataAdded', 'chainBytes']);
const SECONDS = new Set(['rpoSec', 'configuredRpoSec']);

function textOf(key: string, value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (typeof value === 'string') return value;
  if (key === 'speed') return t.perSecond({ amount: formatBytes(value) });
  if (BYTES.has(key)) return formatBytes(value);
  if (SECONDS.has(key)) return formatDuration(value);
  return formatCount(value);
}

/** Labels of the keys that our readers of tool output and our connections write. */
const labels = (): ReadonlyMap<string, string> =>
  new Map([
    ['algorithm', t.detailAlgorithm],
    ['archive', t.detailArchive],
    ['bottleneck', t.detailBottleneck],
    ['call', t.detailCall],
    ['chainBytes', t.detailChainBytes],
    ['checks', t.detailChecks],
    ['comment', t.detailComment],
    ['compressedSize', t.detailCompressedSize],
    ['configuredRpoSec', t.detailConfiguredRpo],
    ['dataAdded', t.detailDataAdded],
    ['deletes', t.detailDeletes],
    ['destination', t.detailDestination],
    ['directories', t.detailDirectories],
    ['director', t.detailDirector],
    ['filesAdded', t.detailFilesAdded],
    ['filesChanged', t.detailFilesChanged],
    ['filesDeleted', t.detailFilesDeleted],
    ['filesModified', t.detailFilesChanged],
    ['filesNew', t.detailFilesAdded],
    ['filesUnmodified', t.detailFilesUnchanged],
    ['group', t.detailGroup],
    ['ignoredErrors', t.detailIgnoredErrors],
    ['interrupted', t.detailInterrupted],
    ['job', t.detailJob],
    ['jobId', t.detailJobId],
    ['jobStatus', t.detailJobStatus],
    ['kind', t.detailType],
    ['mode', t.detailMode],
    ['nextRun', t.detailNextRun],
    ['operation', t.detailOperation],
    ['partial', t.detailPartial],
    ['path', t.detailPath],
    ['paths', t.detailPaths],
    ['platform', t.detailPlatform],
    ['pool', t.detailPool],
    ['renames', t.detailRenames],
    ['repository', t.detailRepository],
    ['repositorySize', t.detailRepositorySize],
    ['restorePoints', t.detailRestorePoints],
    ['result', t.detailResult],
    ['rpoSec', t.detailActualRpo],
    ['session', t.detailSession],
    ['snapshot', t.detailSnapshot],
    ['speed', t.detailSpeed],
    ['system', t.detailSystem],
    ['tags', t.detailTags],
    ['target', t.detailTarget],
    ['task', t.detailTask],
    ['transfers', t.detailTransfers],
    ['user', t.detailUser],
    ['workload', t.detailWorkload],
  ]);
