import { useState } from 'react';
import type { ReactNode } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { ItemOutcome, EngineTask } from '#contract/engine/engine.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { IconName } from '#src/ui/icon.tsx';
import { usePages } from '../../shared/queries/use-pages.ts';
import { useCapabilities } from '../capabilities.ts';
import { restoreTaskMessages as t } from './messages.en.ts';

type ResultsPage = OutputOf<'listRestoreResults'>;
const PAGE_ROWS = 100;

/** How each item of a finished task ended; failed ones can be shown alone. */
export function TaskResults({
  organizationId,
  task,
}: {
  readonly organizationId: string;
  readonly task: EngineTask;
}) {
  const [outcome, setOutcome] = useState(() => getFirstOutcome(task));
  const { rows, hasMore, failure, more } = useResults(organizationId, task, outcome);
  const { retry: canRetry } = useCapabilities();
  const shown = OUTCOMES.filter((one) => task.counts[one] > 0);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <fieldset
        aria-label={t.outcomes}
        className="m-0 flex min-w-0 flex-wrap gap-1.5 border-0 p-0 py-1"
      >
        {shown.length > 1 && (
          <Filter isOn={outcome === null} onPress={() => setOutcome(null)}>
            {t.all}
          </Filter>
        )}
        {shown.map((one) => (
          <Filter
            key={one}
            isOn={outcome === one}
            onPress={() => setOutcome(outcome === one ? null : one)}
          >
            <Icon name={OUTCOME_ICONS[one]} size={12} className={OUTCOME_TEXT[one]} />
            {countLabel(task, one)}
          </Filter>
        ))}
      </fieldset>
      {!canRetry && task.kind === 'restore' && task.counts.failed > 0 && (
        <p className="m-0 text-ink-3">{t.noRetry}</p>
      )}
      {failure !== null && (
        <p role="alert" className="m-0 text-failed">
          {t.resultsFailed({ message: getFailureText(failure) })}
        </p>
      )}
      {rows !== null && rows.length === 0 && <p className="m-0 text-ink-2">{t.noResults}</p>}
      <ul className="m-0 list-none p-0">
        {(rows ?? []).map((row, index) => (
          // eslint-disable-next-line react/no-array-index-key -- results have no id and never move
          <li key={index} className="flex gap-2 border-b border-hair py-1.5">
            <Icon
              name={OUTCOME_ICONS[row.outcome]}
              label={outcomeLabel(row.outcome)}
              className={`mt-px ${OUTCOME_TEXT[row.outcome]}`}
            />
            <span className="min-w-0 grow">
              <span className="block truncate" data-tip={row.name}>
                {row.name}
              </span>
              <span className="block break-words text-agate text-ink-3">
                {[row.path, row.message].filter(Boolean).join(' · ')}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button size="sm" className="justify-self-start" onClick={more}>
          {t.moreResults}
        </Button>
      )}
    </div>
  );
}

function Filter({
  isOn,
  onPress,
  children,
}: {
  readonly isOn: boolean;
  readonly onPress: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      className={`inline-flex h-7 items-center gap-1.5 rounded-part border px-2 text-agate pointer-coarse:min-h-11 ${isOn ? 'border-accent bg-accent-wash' : 'border-rule bg-sheet hover:bg-wash'}`}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

/** Loads the results of a task page by page. They are never stored on this device. */
function useResults(organizationId: string, task: EngineTask, outcome: ItemOutcome | null) {
  const input = { organizationId, taskId: task.id, ...(outcome !== null && { outcome }) };
  const { pages, failure, hasMore, more } = usePages(
    'listRestoreResults',
    { ...input, state: task.state },
    {
      first: null,
      getNext: ({ next }: ResultsPage) => next,
      request: (cursor: string | null) =>
        client().ask('listRestoreResults', {
          ...input,
          limit: String(PAGE_ROWS),
          ...(cursor !== null && { cursor }),
        }),
    },
  );
  return {
    rows: pages.length === 0 && failure === null ? null : pages.flatMap(({ rows }) => rows),
    hasMore: pages.length > 0 && hasMore,
    failure,
    more,
  };
}

const OUTCOMES = ['failed', 'restored', 'merged', 'skipped'] as const;
const OUTCOME_ICONS: Readonly<Record<ItemOutcome, IconName>> = {
  restored: 'success',
  merged: 'sync',
  skipped: 'minus',
  failed: 'failed',
};
const OUTCOME_TEXT: Readonly<Record<ItemOutcome, string>> = {
  restored: 'text-success',
  merged: 'text-success',
  skipped: 'text-ink-3',
  failed: 'text-failed',
};
const outcomeLabel = (outcome: ItemOutcome): string =>
  ({
    restored: t.outcomeRestored,
    merged: t.outcomeMerged,
    skipped: t.outcomeSkipped,
    failed: t.outcomeFailed,
  })[outcome];

/** Skipped items are shown on demand: they would hide the others. */
function getFirstOutcome({ counts }: EngineTask): ItemOutcome | null {
  if (counts.skipped === 0) return null;
  return OUTCOMES.find((one) => one !== 'skipped' && counts[one] > 0) ?? null;
}

/** Returns `3 restored`, or what a dry run would do, or what an undo did. */
export function countLabel({ kind, counts }: EngineTask, outcome: ItemOutcome): string {
  const count = formatCount(counts[outcome]);
  if (outcome === 'failed') return t.failedCount({ count });
  if (outcome === 'skipped') return t.skipped({ count });
  if (kind === 'dry-run')
    return outcome === 'restored' ? t.wouldRestore({ count }) : t.wouldMerge({ count });
  if (kind === 'undo') return t.undoneCount({ count });
  return outcome === 'restored' ? t.restored({ count }) : t.merged({ count });
}

/** Returns the counts that aren't zero, failed first. */
export const countLabels = (task: EngineTask): readonly string[] =>
  OUTCOMES.filter((outcome) => task.counts[outcome] > 0).map((outcome) =>
    countLabel(task, outcome),
  );
