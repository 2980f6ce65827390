// redrawn as a whole where it is redrawn: the compiler's memory would cost a third more code on the
// first load
'use no memo';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { RunsFilter, RunsView } from '#contract/runs/query.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { setPalette } from '#src/app/shell/palette-state.ts';
import { Button } from '#src/ui/button.tsx';
import { formatCount, formatTime, formatWhen, plural } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { FirstSteps } from '../shared/first-steps/first-steps.tsx';
import { absent } from './facets.tsx';
import { allOpen } from './hand-over/latest-hand-over.ts';
import { DEFAULTS, narrowed } from '../shared/runs/list-state.ts';
import type { List } from '../shared/runs/list-state.ts';
import { olderWords, reachOf } from './older-days.ts';

interface EmptyProps {
  readonly view: RunsView;
  readonly list: List;
  readonly filter: RunsFilter;
  readonly zone: string;
  readonly now: Ms;
  readonly onClear: (at: number) => void;
  readonly onList: (next: List) => void;
}

/** Why nothing is listed, and what to do. */
export function Empty({ view, list, filter, zone, now, onClear, onList }: EmptyProps) {
  if (view.loaded.days < view.loaded.of && view.newestAt === null)
    return (
      <Said
        title="Results are on their way"
        detail={`${view.loaded.days} of ${view.loaded.of} days here.`}
      />
    );
  const older = olderWords(filter, now, narrowed(list) > 0);
  const gone = absent(view.facets, list).length;
  if (older !== null && gone === 0 && (view.newestAt !== null || list.open !== null)) {
    return (
      <Said title={older.title} detail={older.detail}>
        <div className="flex flex-wrap justify-center gap-2">
          <Button icon="search" onClick={() => setPalette(true)}>
            Search everything
          </Button>
          {reachOf(filter, now) === 'before' ? (
            <Button
              onClick={() => onList({ ...list, span: { is: 'last', days: LIMITS.windowDays } })}
            >
              Show the last {LIMITS.windowDays} days
            </Button>
          ) : (
            <Button onClick={(event) => onClear(event.timeStamp)}>Clear the filters</Button>
          )}
        </div>
      </Said>
    );
  }
  if (view.newestAt === null) return <FirstSteps />;
  if (narrowed(list) > 0)
    return (
      <Said
        title="Nothing matches"
        detail={
          gone === 0
            ? 'No result has all of these.'
            : `${plural(gone, 'company', 'companies')} of this list: no result in these days, or not here any more.`
        }
      >
        <Button onClick={(event) => onClear(event.timeStamp)}>Clear the filters</Button>
      </Said>
    );
  if (list.review === DEFAULTS.review && view.progress.of > 0)
    return (
      <AllClear view={view} list={list} filter={filter} zone={zone} now={now} onList={onList} />
    );
  return (
    <Said
      title="Nothing to check"
      detail={`No result of these days is a problem. New results come in as they happen.`}
    />
  );
}

const CLEARED_MOST = 400;
/** The page's minute goes behind: what was reviewed a moment ago counts. */
const CLOCK_MS = 120_000;

/** The page is ruled off. Since when: the last review of what was to be cleared. */
function AllClear({ view, list, filter, zone, now, onList }: Omit<EmptyProps, 'onClear'>) {
  const dealt = useWatch('runs', {
    filter: { ...filter, review: 'cleared', group: null },
    window: { first: 0, count: CLEARED_MOST },
    held: false,
    folded: [],
    round: 0,
    facets: 'none',
  });
  const times = (dealt?.rows ?? [])
    .flatMap(({ problem }) => (problem ? [problem.review?.at ?? problem.closedAt ?? 0] : []))
    .filter((at) => at > 0 && at <= now + CLOCK_MS);
  const since =
    times.length === 0 || (dealt?.total ?? 0) > CLEARED_MOST ? null : Math.max(...times);
  const countOf = (value: string): number =>
    view.facets.review.find((one) => one.value === value)?.count ?? 0;
  const { cleared, of } = view.progress;
  const older = useWatch('shiftNow', { since: 0, list: filter })?.unlisted ?? 0;
  return (
    <Said
      title={
        since === null
          ? 'All clear'
          : `All clear since ${now - since < DAY_MS ? formatTime(since, zone) : formatWhen(since, zone)}`
      }
      detail={`${formatCount(cleared)} of ${formatCount(of)} cleared. New results come in as they happen.`}
      ticked
    >
      <table className="border-t border-b-3 border-double border-t-head-rule border-b-head-rule [border-top-style:solid]">
        <thead>
          <tr>
            {['Cleared', 'Snoozed'].map((word) => (
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
                {formatCount(countOf(value))}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
      {older > 0 && (
        <p className="m-0 pt-3 text-ink-2">
          {plural(older, 'problem that is', 'problems that are')} older, or running again,{' '}
          {older === 1 ? 'is' : 'are'} still open.{' '}
          <button
            type="button"
            onClick={() => onList(allOpen(list))}
            className="text-accent underline underline-offset-2 pointer-coarse:min-h-11"
          >
            Show all that is open
          </button>
        </p>
      )}
    </Said>
  );
}

const DAY_MS = 86_400_000;

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
