import { Suspense } from 'react';
import { Bars, Levels } from '#src/ui/charts/lazy-charts.ts';
import { ColumnChart, useChosenColumn } from '#src/ui/charts/column-chart.tsx';
import { labelled, roundUpScale, UNDER } from '#src/ui/charts/scales.ts';
import { formatCount } from '#src/ui/format.ts';
import { Legend } from '#src/ui/legend.tsx';
import { SectionLink } from '../../shared/section-link.tsx';
import { DashboardSection } from '../../shared/section.tsx';
import { daysWords, dayWords } from '../../shared/date-range/day-range.ts';
import type { Bucket, BucketUnit } from './buckets.ts';
import { trendMessages as t } from './messages.en.ts';

/** CSS pixels: the scale, and the room above it. */
const TALL = 192;
const ABOVE = 12;
const FLOOR = ABOVE + TALL;
/** Of a bucket's width. */
const BAR = 0.66;
const MAX_BAR_PX = 56;
/** CSS pixels by which the line of the previous period is wider than the bar, on each side. */
const BESIDE_PX = 4;

interface ChartProps {
  readonly buckets: readonly Bucket[];
  readonly unit: BucketUnit;
  /** Address of a bucket's results; null if the user may not see them. */
  readonly getHref: ((bucket: Bucket) => string) | null;
  readonly onOpen: (href: string) => void;
}

const SLIDER_NAMES: Readonly<Record<BucketUnit, string>> = {
  day: t.dayOfChart,
  week: t.weekOfChart,
  month: t.monthOfChart,
};
const TITLES: Readonly<Record<BucketUnit, string>> = {
  day: t.perDay,
  week: t.perWeek,
  month: t.perMonth,
};

/**
 * Bar chart with a cursor for pointer and arrow keys. The legend shows the bucket at the cursor, by
 * default the newest. A click or Enter opens its results.
 */
export function Chart({ buckets, unit, getHref, onOpen }: ChartProps) {
  const count = buckets.length;
  const chosen = useChosenColumn(count);
  const bucket = buckets[chosen.at];
  if (!bucket) return null;
  const href = getHref?.(bucket) ?? null;
  const open = (at: number): void => {
    const one = buckets[at];
    if (getHref && one) onOpen(getHref(one));
  };
  return (
    <DashboardSection
      title={TITLES[unit]}
      detail={
        href === null ? (
          daysWords(bucket.days)
        ) : (
          <SectionLink
            href={href}
            className="text-accent hover:underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
          >
            {t.openDays({ days: daysWords(bucket.days) })}
          </SectionLink>
        )
      }
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
        <Legend
          entries={[
            { mark: 'failed', label: t.failed, value: bucket.failures },
            { mark: 'warning', label: t.warning, value: bucket.warnings },
          ]}
        />
        {bucket.before !== null && (
          <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-ink-2">
            <i aria-hidden className="h-0.5 w-3 bg-ink" />
            {t.previousPeriod}{' '}
            <b className="text-ink">
              {formatCount(bucket.before.failures + bucket.before.warnings)}
            </b>
          </span>
        )}
      </div>
      <ColumnChart
        label={SLIDER_NAMES[unit]}
        count={count}
        column={chosen}
        text={bucketText(bucket)}
        height={FLOOR + UNDER}
        floor={FLOOR}
        onOpen={getHref ? open : null}
      >
        {(step) => <Drawing buckets={buckets} unit={unit} step={step} />}
      </ColumnChart>
      <div className="sr-only">
        <table>
          <caption>{TITLES[unit]}</caption>
          <thead>
            <tr>
              {[t.days, t.failed, t.warning, t.results, t.previousPeriod].map((word) => (
                <th key={word} scope="col">
                  {word}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {buckets.toReversed().map((one) => (
              <tr key={one.days[0]}>
                <th scope="row">{daysWords(one.days)}</th>
                <td>{formatCount(one.failures)}</td>
                <td>{formatCount(one.warnings)}</td>
                <td>{formatCount(one.runs)}</td>
                <td>
                  {one.before === null
                    ? t.notKnown
                    : formatCount(one.before.failures + one.before.warnings)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </DashboardSection>
  );
}

interface DrawingProps {
  readonly buckets: readonly Bucket[];
  readonly unit: BucketUnit;
  readonly step: number;
}

/** Warnings are stacked on failures; a horizontal line marks the previous period. */
function Drawing({ buckets, unit, step }: DrawingProps) {
  const bar = Math.min(MAX_BAR_PX, Math.max(1, step * BAR));
  const names = labelled(buckets.length, step);
  const levels = buckets.map(({ before }) => before && before.failures + before.warnings);
  const scale = {
    top: roundUpScale(
      Math.max(
        0,
        ...buckets.map(({ failures, warnings }) => failures + warnings),
        ...levels.map((level) => level ?? 0),
      ),
    ),
    y: ABOVE,
    height: TALL,
    step,
  };
  return (
    <Suspense>
      <Bars
        {...scale}
        marks={['failed', 'warning']}
        columns={buckets.map(({ failures, warnings }) => [failures, warnings])}
        scale="steps"
        names={buckets.map((bucket, i) => (names.includes(i) ? underWords(bucket, unit) : ''))}
        bar={bar}
      />
      {levels.some((level) => level !== null) && (
        <Levels {...scale} levels={levels} bar={Math.min(step, bar + 2 * BESIDE_PX)} />
      )}
    </Suspense>
  );
}

/** `11/02/26: 38 failed, 16 warnings; 41 in the previous period`. */
function bucketText({ days: span, failures, warnings, runs, before }: Bucket): string {
  const days = daysWords(span);
  const failed = formatCount(failures);
  if (before === null)
    return runs === 0 ? t.bucketNone({ days }) : t.bucket({ days, failed, warnings });
  const both = formatCount(before.failures + before.warnings);
  return runs === 0
    ? t.bucketNoneCompared({ days, before: both })
    : t.bucketCompared({ days, failed, warnings, before: both });
}

const MONTHS = [
  t.jan,
  t.feb,
  t.mar,
  t.apr,
  t.may,
  t.jun,
  t.jul,
  t.aug,
  t.sep,
  t.oct,
  t.nov,
  t.dec,
] as const;
function underWords(bucket: Bucket, unit: BucketUnit): string {
  const [first] = bucket.days;
  return unit === 'month'
    ? t.monthOfYear({
        month: MONTHS[Number(first.slice(5, 7)) - 1] ?? '',
        year: first.slice(2, 4),
      })
    : dayWords(bucket.days[1]).slice(0, 5);
}
