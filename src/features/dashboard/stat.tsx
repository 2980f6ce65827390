import { Suspense, useState } from 'react';
import { lazyDialog } from '#src/ui/lazy-dialog.ts';
import type { ReactNode } from 'react';
import type { Ms } from '#contract/ids.ts';
import type { Overview } from '#contract/dashboard/overview.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { Spark } from '#src/ui/charts/spark.tsx';
import {
  dayAt,
  SHORTCUTS,
  spanKey,
  spanLabel,
  spanOfKey,
} from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';
import { resultsAddress } from '#src/features/shared/page-links/results.ts';
import type { DashboardBoard, StatName } from './address.ts';
import { getTrace } from '../shared/charts/day-columns.ts';
import type { ChartColumn } from '../shared/charts/day-columns.ts';
import { countDelta, shareDelta, getSuccessRate, formatShare } from '../shared/charts/deltas.ts';
import type { Delta } from '../shared/charts/deltas.ts';
import { SectionLink } from '../shared/section-link.tsx';
import { daysWords, toDayRange } from '../shared/date-range/day-range.ts';
import type { DayRange } from '../shared/date-range/day-range.ts';
import { STAT_STATES, statLabel } from './labels.ts';
import { dashboardMessages as t } from './messages.en.ts';

const RangeDialog = lazyDialog(
  async () => (await import('#src/features/shared/date-range/range-dialog.tsx')).RangeDialog,
);

export interface StatFrameProps {
  readonly name: StatName;
  /** Target of the title; null if the user may not open it. */
  readonly href: string | null;
  readonly board: DashboardBoard;
  readonly stretch: DayRange;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly onBoard: (next: DashboardBoard) => void;
  readonly figure: ReactNode;
  readonly trace: readonly (number | null)[];
  readonly delta: Delta | null;
  readonly children?: ReactNode;
}

/** A figure with its period, trend line and change. */
export function StatFrame({
  name,
  href,
  board,
  stretch,
  rule,
  now,
  onBoard,
  figure,
  trace,
  delta,
  children,
}: StatFrameProps) {
  const title = statLabel(name);
  return (
    <li className="min-w-0 border-hair py-3 max-tablet:border-b max-tablet:last:border-b-0 tablet:px-4 tablet:max-desk:not-nth-[3n+1]:border-l tablet:max-desk:nth-[3n]:pr-0 tablet:max-desk:nth-[3n+1]:pl-0 tablet:max-desk:nth-[n+4]:border-t desk:not-first:border-l desk:first:pl-0 desk:last:pr-0">
      <div className="flex min-h-6 items-center justify-between gap-2">
        {href === null ? (
          <b className="truncate" data-tip={title}>
            {title}
          </b>
        ) : (
          <SectionLink
            href={href}
            className="inline-flex min-w-0 items-center gap-0.5 font-semibold hover:underline pointer-coarse:min-h-11"
          >
            <span className="truncate" data-tip={title}>
              {title}
            </span>
            <Icon name="chevron-right" size={12} className="text-ink-3" />
          </SectionLink>
        )}
        <OwnDays
          name={name}
          board={board}
          stretch={stretch}
          rule={rule}
          now={now}
          onBoard={onBoard}
        />
      </div>
      <div className="flex items-end justify-between gap-2 py-2">
        <span className="shrink-0 text-head leading-8 whitespace-nowrap">{figure}</span>
        <Spark values={trace} width={112} height={44} end={delta?.tone ?? null} />
      </div>
      {delta !== null && (
        <p className="m-0 flex items-center gap-1 text-ink-2">
          {delta.way !== null && (
            <Icon
              name={delta.way === 'up' ? 'chevron-up' : 'chevron-down'}
              size={12}
              className={
                delta.tone === 'good'
                  ? 'text-success'
                  : delta.tone === 'bad'
                    ? 'text-failed'
                    : 'text-ink-3'
              }
            />
          )}
          <span className="min-w-0 truncate" data-tip={delta.label}>
            {delta.label}
          </span>
        </p>
      )}
      {children}
    </li>
  );
}

/** A period for this figure only: a preset, two days, or a number of days. */
function OwnDays({
  name,
  board,
  stretch,
  rule,
  now,
  onBoard,
}: Pick<StatFrameProps, 'name' | 'board' | 'stretch' | 'rule' | 'now' | 'onBoard'>) {
  const [asking, setAsking] = useState<'range' | 'number' | null>(null);
  const { [name]: own, ...others } = board.own;
  const known = own === undefined || SHORTCUTS.some((one) => spanKey(one) === spanKey(own));
  const put = (span: Span | null): void =>
    onBoard({ ...board, own: span ? { ...others, [name]: span } : others });
  return (
    <span
      data-tip={daysWords(stretch.days)}
      className={`relative inline-flex min-h-6 shrink-0 items-center gap-0.5 rounded-part px-0.5 text-agate focus-within:outline-2 focus-within:outline-accent hover:text-ink pointer-coarse:min-h-11
        ${own ? 'font-semibold text-accent' : 'text-ink-3'}`}
    >
      <span aria-hidden>{t.shortDays({ count: formatCount(stretch.count) })}</span>
      <Icon name="chevron-down" size={12} />
      <select
        aria-label={t.daysOf({ figure: statLabel(name) })}
        value={own ? spanKey(own) : ''}
        onChange={({ target: { value } }) =>
          value === 'range' || value === 'number' ? setAsking(value) : put(spanOfKey(value))
        }
        className="absolute inset-0 w-full cursor-pointer appearance-none bg-sheet text-ink opacity-0"
      >
        <option value="">{t.sameAsPage({ days: spanLabel(board.span) })}</option>
        {!known && own && <option value={spanKey(own)}>{spanLabel(own)}</option>}
        {SHORTCUTS.map((one) => (
          <option key={spanKey(one)} value={spanKey(one)}>
            {spanLabel(one)}
          </option>
        ))}
        <option value="range">{t.chooseDays}</option>
        <option value="number">{t.lastXDays}</option>
      </select>
      {asking !== null && (
        <Suspense>
          <RangeDialog
            by={asking}
            span={own ?? board.span}
            rule={rule}
            now={now}
            onSpan={put}
            onClose={() => setAsking(null)}
          />
        </Suspense>
      )}
    </span>
  );
}

export interface StatProps {
  readonly name: Exclude<StatName, 'unprotected'>;
  readonly board: DashboardBoard;
  readonly stretch: DayRange;
  readonly overview: Overview;
  readonly columns: readonly ChartColumn[];
  /** Whether the user may open the list. */
  readonly canOpen: boolean;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly onBoard: (next: DashboardBoard) => void;
}

/** A figure of the results, in the page's period or its own. */
export function Stat(props: StatProps) {
  const own = props.board.own[props.name];
  return own ? <OwnStat {...props} span={own} /> : <ShownStat {...props} />;
}

function OwnStat({ span, ...props }: StatProps & { readonly span: Span }) {
  const {
    board: { companies, instructionTypes },
    rule,
    now,
  } = props;
  const stretch = toDayRange(span, dayAt(now, rule), rule);
  const overview = useWatch('overview', {
    from: stretch.from,
    to: stretch.to,
    companies,
    instructionTypes,
  });
  return <ShownStat {...props} stretch={stretch} overview={overview ?? props.overview} />;
}

function ShownStat({
  name,
  board,
  stretch,
  overview,
  columns,
  canOpen,
  rule,
  now: at,
  onBoard,
}: StatProps) {
  const { now, before } = overview;
  const share = getSuccessRate(now);
  const href = canOpen
    ? resultsAddress({
        days: stretch.days,
        companies: board.companies,
        instructionTypes: board.instructionTypes,
        states: STAT_STATES[name],
      })
    : null;
  return (
    <StatFrame
      name={name}
      href={href}
      board={board}
      stretch={stretch}
      rule={rule}
      now={at}
      onBoard={onBoard}
      figure={
        name === 'success' ? (
          share === null ? (
            <Unit of={t.noResults} />
          ) : (
            <>
              {formatShare(share)} <Unit of="%" tip={t.countedJobs} />
            </>
          )
        ) : (
          <>
            {formatCount(now[name])} <Unit of={t.runs({ count: now[name] })} />
          </>
        )
      }
      trace={getTrace(columns, name === 'success' ? getSuccessRate : (column) => column[name])}
      delta={name === 'success' ? shareDelta(now, before) : countDelta(now, before, name)}
    />
  );
}

export const Unit = ({ of, tip }: { readonly of: string; readonly tip?: string }) => (
  <span
    className="text-body font-normal tracking-normal text-ink-2"
    {...(tip !== undefined && { 'data-tip': tip })}
  >
    {of}
  </span>
);
