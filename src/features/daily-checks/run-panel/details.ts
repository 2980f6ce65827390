import type { TextKey } from '#contract/i18n/labels.ts';
import type { Execution } from '#contract/runs/calls.ts';
import { formatBytes, formatCount, formatDuration } from '#src/ui/format.ts';
import { runPanelMessages as t } from './messages.en.ts';

export interface Detail {
  readonly key: string;
  readonly label: string;
  readonly value: string;
}

/**
 * Returns what a tool reports in addition to the common fields (PANEL-8), without empty values. Keys
 * that only your own script uses are shown as they are.
 */
export const getDetails = ({ detail }: Pick<Execution, 'detail'>): readonly Detail[] =>
  Object.entries(detail).flatMap(([key, value]) =>
    value === null || value === ''
      ? []
      : [{ key, label: getLabel(key), value: getText(key, value) }],
  );

const BYTES = new Set(['compressedSize', 'repositorySize', 'dataAdded', 'chainBytes']);
const SECONDS = new Set(['rpoSec', 'configuredRpoSec']);

function getText(key: string, value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (typeof value === 'string') return value;
  if (key === 'speed') return t.perSecond({ amount: formatBytes(value) });
  if (BYTES.has(key)) return formatBytes(value);
  if (SECONDS.has(key)) return formatDuration(value);
  return formatCount(value);
}

function getLabel(key: string): string {
  const name = LABELS.get(key);
  return name === undefined ? key : t[name];
}

/** The keys that the readers of tool output and the connections write. */
const LABELS: ReadonlyMap<string, TextKey<typeof t>> = new Map([
  ['algorithm', 'detailAlgorithm'],
  ['archive', 'detailArchive'],
  ['bottleneck', 'detailBottleneck'],
  ['call', 'detailCall'],
  ['chainBytes', 'detailChainBytes'],
  ['checks', 'detailChecks'],
  ['comment', 'detailComment'],
  ['compressedSize', 'detailCompressedSize'],
  ['configuredRpoSec', 'detailConfiguredRpo'],
  ['dataAdded', 'detailDataAdded'],
  ['deletes', 'detailDeletes'],
  ['destination', 'detailDestination'],
  ['directories', 'detailDirectories'],
  ['director', 'detailDirector'],
  ['filesAdded', 'detailFilesAdded'],
  ['filesChanged', 'detailFilesChanged'],
  ['filesDeleted', 'detailFilesDeleted'],
  ['filesModified', 'detailFilesChanged'],
  ['filesNew', 'detailFilesAdded'],
  ['filesUnmodified', 'detailFilesUnchanged'],
  ['group', 'detailGroup'],
  ['ignoredErrors', 'detailIgnoredErrors'],
  ['interrupted', 'detailInterrupted'],
  ['job', 'detailJob'],
  ['jobId', 'detailJobId'],
  ['jobStatus', 'detailJobStatus'],
  ['kind', 'detailType'],
  ['mode', 'detailMode'],
  ['nextRun', 'detailNextRun'],
  ['operation', 'detailOperation'],
  ['partial', 'detailPartial'],
  ['path', 'detailPath'],
  ['paths', 'detailPaths'],
  ['platform', 'detailPlatform'],
  ['pool', 'detailPool'],
  ['renames', 'detailRenames'],
  ['repository', 'detailRepository'],
  ['repositorySize', 'detailRepositorySize'],
  ['restorePoints', 'detailRestorePoints'],
  ['result', 'detailResult'],
  ['rpoSec', 'detailActualRpo'],
  ['session', 'detailSession'],
  ['snapshot', 'detailSnapshot'],
  ['speed', 'detailSpeed'],
  ['system', 'detailSystem'],
  ['tags', 'detailTags'],
  ['target', 'detailTarget'],
  ['task', 'detailTask'],
  ['transfers', 'detailTransfers'],
  ['user', 'detailUser'],
  ['workload', 'detailWorkload'],
]);
