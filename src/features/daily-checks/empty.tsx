// always redrawn as a whole: the compiler's memoization would add a third more code to the first
// load
'use no memo';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { RunsFilter, RunsView } from '#contract/runs/query.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { setPalette } from '#src/app/shell/palette-state.ts';
import { Button } from '#src/ui/button.tsx';
import { formatCount, formatRecent } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { FirstSteps } from '../shared/first-steps/first-steps.tsx';
import { absent } from './facets.tsx';
import { allOpen } from './hand-over/latest-hand-over.ts';
import { DEFAULT_LIST, narrowed } from '../shared/runs/list-state.ts';
import type { RunListState } from '../shared/runs/list-state.ts';
import { olderWords, getRangePosition } from './older-days.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

interface EmptyProps {
  readonly view: RunsView;
  readonly list: RunListState;
  readonly filter: RunsFilter;
  readonly zone: string;
  readonly now: Ms;
  readonly onClear: (at: number) => void;
  readonly onList: (next: RunListState) => void;
}

/** Explains why nothing is listed, and what to do. */
export function Empty({ view, list, filter, zone, now, onClear, onList }: EmptyProps) {
  if (view.loaded.days < view.loaded.of && view.newestAt === null)
    return (
      <Said
        title={t.loadingResults}
        detail={t.daysLoaded({ loaded: view.loaded.days, total: view.loaded.of })}
      />
    );
  const older = olderWords(filter, now, narrowed(list) > 0);
  const gone = absent(view.facets, list).length;
  if (older !== null && gone === 0 && (view.newestAt !== null || list.open !== null)) {
    return (
      <Said title={older.title} detail={older.detail}>
        <div className="flex flex-wrap justify-center gap-2">
          <Button icon="search" onClick={() => setPalette(true)}>
            {t.searchEverything}
          </Button>
          {getRangePosition(filter, now) === 'before' ? (
            <Button
              onClick={() => onList({ ...list, span: { kind: 'last', days: LIMITS.windowDays } })}
            >
              {t.showLastDays({ days: LIMITS.windowDays })}
            </Button>
          ) : (
            <Button onClick={(event) => onClear(event.timeStamp)}>{t.clearFilters}</Button>
          )}
        </div>
      </Said>
    );
  }
  if (view.newestAt === null) return <FirstSteps />;
  if (narrowed(list) > 0)
    return (
      <Said
        title={t.noMatches}
        detail={gone === 0 ? t.noMatchesHint : t.companiesWithoutResults({ count: gone })}
      >
        <Button onClick={(event) => onClear(event.timeStamp)}>{t.clearFilters}</Button>
      </Said>
    );
  if (list.review === DEFAULT_LIST.review && view.progress.of > 0)
    return (
      <AllClear view={view} list={list} filter={filter} zone={zone} now={now} onList={onList} />
    );
  return <Said title={t.nothingToCheck} detail={t.nothingToCheckHint} />;
}

const MAX_CLEARED = 400;
/** The page's clock can lag by a minute; recent reviews must still count. */
const CLOCK_MS = 120_000;

/** Shown when all results are reviewed, with the time of the last review. */
function AllClear({ view, list, filter, zone, now, onList }: Omit<EmptyProps, 'onClear'>) {
  const dealt = useWatch('runs', {
    filter: { ...filter, review: 'cleared', group: null },
    window: { first: 0, count: MAX_CLEARED },
    isInUse: false,
    folded: [],
    round: 0,
    facets: 'none',
  });
  const times = (dealt?.rows ?? [])
    .flatMap(({ problem }) => (problem ? [problem.review?.at ?? problem.closedAt ?? 0] : []))
    .filter((at) => at > 0 && at <= now + CLOCK_MS);
  const since = times.length === 0 || (dealt?.total ?? 0) > MAX_CLEARED ? null : Math.max(...times);
  const getCount = (value: string): number =>
    view.facets.review.find((one) => one.value === value)?.count ?? 0;
  const { cleared, of } = view.progress;
  const older = useWatch('shiftNow', { since: 0, list: filter })?.unlisted ?? 0;
  return (
    <Said
      title={
        since === null
          ? t.allClear
          : t.allClearSince({
              time: formatRecent(since, zone, now),
            })
      }
      detail={t.allClearHint({ done: formatCount(cleared), total: formatCount(of) })}
      ticked
    >
      <table className="border-t border-b-3 border-double border-t-head-rule border-b-head-rule [border-top-style:solid]">
        <thead>
          <tr>
            {[t.cleared, t.snoozed].map((word) => (
              <th
                key={word}
                scope="col"
                className="px-6 pt-2 text-right text-agate font-normal text-ink-3"
              >
                {word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            {['cleared', 'snoozed'].map((value) => (
              <td key={value} className="px-6 pb-2 text-right font-semibold">
                {formatCount(getCount(value))}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
      {older > 0 && (
        <p className="m-0 pt-3 text-ink-2">
          {t.olderOpen({ count: older })}{' '}
          <button
            type="button"
            onClick={() => onList(allOpen(list))}
            className="text-accent underline underline-offset-2 pointer-coarse:min-h-11"
          >
            {t.showAllOpen}
          </button>
        </p>
      )}
    </Said>
  );
}

function Said({
  title,
  detail,
  ticked = false,
  children,
}: {
  readonly title: string;
  readonly detail: string;
  readonly ticked?: boolean;
  readonly children?: React.ReactNode;
}) {
  return (
    <div className="grid content-center justify-items-center gap-2 overflow-auto p-6 text-center">
      {ticked && <Icon name="tick" size={32} stroke={1} className="text-accent" />}
      <h2 className="m-0 text-head">{title}</h2>
      <p className="m-0 max-w-[60ch] pb-2 text-ink-2">{detail}</p>
      {children}
    </div>
  );
}
