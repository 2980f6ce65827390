import type { StartObstacle } from '#contract/backup/chains.ts';
import { obstacleText } from '#contract/backup/obstacle-text.ts';
import type { Ms } from '#contract/ids.ts';
import { formatUtc, formatWhen } from '#src/ui/format.ts';
import type { StateLabel } from '../state-label.ts';
import { StateText } from '../state-text.tsx';
import { backupJobMessages as t } from './messages.en.ts';

/** When a job starts next; a moment that has passed means now. `obstacle`: why it never does. */
export function NextRun({
  at,
  now,
  zone,
  obstacle = null,
}: {
  readonly at: Ms | null;
  readonly now: Ms;
  readonly zone: string;
  readonly obstacle?: StartObstacle | null;
}) {
  if (at === null && obstacle !== null)
    return (
      <span data-tip={obstacleText(obstacle)}>
        <StateText label={NEVER_STARTS} />
      </span>
    );
  if (at === null) return <span className="text-ink-3">–</span>;
  return at <= now ? t.due : <time data-tip={formatUtc(at)}>{formatWhen(at, zone)}</time>;
}

/** The state of a job that its schedule never starts. */
export const NEVER_STARTS: StateLabel = {
  get label() {
    return t.neverStarts;
  },
  icon: 'warning',
  text: 'text-warning',
};
