/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a range input cannot hold a drawing */
import { useId, useState } from 'react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { formatCount } from '#src/ui/format.ts';
import { Legend } from '#src/ui/legend.tsx';
import { useWidth } from '#src/ui/use-width.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { CHART, columnAt, labelled } from '../../shared/charts/scales.ts';
import { Section } from '../../shared/section.tsx';
import { daysWords, dayWords } from '../../shared/date-range/day-stretch.ts';
import type { Bucket, Unit } from './buckets.ts';
import { draw, FLOOR, TALL } from './draw.ts';
import { trendMessages as t } from './messages.en.ts';

interface ChartProps {
  readonly buckets: readonly Bucket[];
  readonly unit: Unit;
  /** Address of a bucket's results; null if the user may not see them. */
  readonly getHref: ((bucket: Bucket) => string) | null;
  readonly onOpen: (href: string) => void;
}

const SLIDER_NAMES: Readonly<Record<Unit, string>> = {
  day: t.dayOfChart,
  week: t.weekOfChart,
  month: t.monthOfChart,
};
const TITLES: Readonly<Record<Unit, string>> = {
  day: t.perDay,
  week: t.perWeek,
  month: t.perMonth,
};

/**
 * Bar chart with a cursor for pointer and arrow keys. The legend shows the bucket at the cursor, by
 * default the newest. A click or Enter opens its results.
 */
export function Chart({ buckets, unit, getHref, onOpen }: ChartProps) {
  const { box, width } = useWidth();
  const ruled = useId();
  const [chosen, setChosen] = useState<number | null>(null);
  const count = buckets.length;
  const at = chosen === null || chosen >= count ? count - 1 : chosen;
  const bucket = buckets[at];
  if (!bucket) return null;
  const drawn = draw(buckets, width);
  const names = labelled(count, drawn.step);
  const href = getHref?.(bucket) ?? null;
  const step = (event: KeyboardEvent): void => {
    const to = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      PageDown: at - 7,
      PageUp: at + 7,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to !== undefined) setChosen(Math.min(count - 1, Math.max(0, to)));
    else if (event.key === 'Enter' && href !== null) onOpen(href);
    else return;
    event.preventDefault();
  };
  const under = (event: PointerEvent): number =>
    columnAt(event.clientX - event.currentTarget.getBoundingClientRect().left, drawn.step, count);
  return (
    <Section
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
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={SLIDER_NAMES[unit]}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={at + 1}
        aria-valuetext={bucketText(bucket)}
        className={getHref ? 'cursor-pointer touch-pan-y' : 'touch-pan-y'}
        onKeyDown={step}
        onPointerMove={(event) => setChosen(under(event))}
        onPointerLeave={(event) => {
          if (event.pointerType === 'mouse') setChosen(null);
        }}
        onPointerUp={(event) => {
          const one = buckets[under(event)];
          setChosen(under(event));
          // A tap covers the bar, so on touch it only selects; the link beside the title opens the
          // results.
          if (event.pointerType === 'mouse' && event.button === 0 && getHref && one)
            onOpen(getHref(one));
        }}
      >
        <svg
          aria-hidden
          className="db-chart block"
          width={width}
          height={TALL}
          viewBox={`0 0 ${width} ${TALL}`}
        >
          <defs>
            <pattern id={ruled} width="4" height="4" patternUnits="userSpaceOnUse">
              <path d="M0 1H4" stroke="var(--warning-mark)" strokeWidth="2" />
            </pattern>
          </defs>
          {chosen !== null && (
            <rect
              x={CHART.left + at * drawn.step}
              y="0"
              width={drawn.step}
              height={FLOOR}
              fill="var(--wash)"
            />
          )}
          {drawn.lines.map(({ y, label }) => (
            <g key={y}>
              <path d={`M${CHART.left} ${y}H${width}`} stroke="var(--hair)" />
              <text x={CHART.left - 8} y={y + 4} textAnchor="end">
                {label}
              </text>
            </g>
          ))}
          {drawn.buckets.map(({ failed, warning, before }, i) => (
            <g key={buckets[i]?.days[0]}>
              {failed && <rect {...failed} fill="var(--failed-mark)" />}
              {warning && <rect {...warning} fill={`url(#${ruled})`} />}
              {before && (
                <path
                  d={`M${before.x} ${before.y}h${before.width}`}
                  stroke="var(--ink)"
                  strokeWidth="2"
                />
              )}
            </g>
          ))}
          <path d={`M${CHART.left} ${FLOOR}H${width}`} stroke="var(--control)" />
          {names.map((i, place) => {
            const edge = place === names.length - 1 && drawn.step < 60;
            return (
              <text
                key={i}
                x={edge ? width : CHART.left + (i + 0.5) * drawn.step}
                y={TALL - 5}
                textAnchor={edge ? 'end' : 'middle'}
              >
                {underWords(buckets[i], unit)}
              </text>
            );
          })}
        </svg>
      </div>
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
    </Section>
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
function underWords(bucket: Bucket | undefined, unit: Unit): string {
  if (!bucket) return '';
  const [first] = bucket.days;
  return unit === 'month'
    ? t.monthOfYear({
        month: MONTHS[Number(first.slice(5, 7)) - 1] ?? '',
        year: first.slice(2, 4),
      })
    : dayWords(bucket.days[1]).slice(0, 5);
}
