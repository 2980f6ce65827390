/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a range input cannot hold a drawing */
import { useId, useState } from 'react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { formatCount } from '#src/ui/format.ts';
import { Legend } from '#src/ui/legend.tsx';
import { useWidth } from '#src/ui/use-width.ts';
import { columnWords, countGood } from '../shared/charts/day-columns.ts';
import type { Column } from '../shared/charts/day-columns.ts';
import { SectionLink } from '../shared/section-link.tsx';
import { CHART, CHART_TALL, columnAt, draw, labelled } from '../shared/charts/scales.ts';
import type { Box } from '../shared/charts/scales.ts';
import { Section } from '../shared/section.tsx';
import { daysWords, dayWords } from '../shared/date-range/day-stretch.ts';
import { dashboardMessages as t } from './messages.en.ts';

interface HistoryChartProps {
  readonly title: string;
  /** Period of the chart: `30 days`. */
  readonly detail: string;
  readonly columns: readonly Column[];
  /** Address of a column's results; null if the user may not see them. */
  readonly getHref: ((column: Column) => string) | null;
  readonly onOpen: (href: string) => void;
}

/**
 * Two charts: successes on their own scale, and all other results below. The legend shows the day
 * at the pointer or keyboard cursor, by default the newest. A click or Enter opens its results.
 */
export function HistoryChart({ title, detail, columns, getHref, onOpen }: HistoryChartProps) {
  const { box, width } = useWidth();
  const [chosen, setChosen] = useState<number | null>(null);
  const ruled = useId();
  const count = columns.length;
  const at = chosen === null || chosen >= count ? count - 1 : chosen;
  const column = columns[at];
  if (!column) return null;
  const drawn = draw(columns, width);
  const names = labelled(count, drawn.step);
  const axis = CHART_TALL - CHART.under;
  const href = getHref?.(column) ?? null;

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
      title={title}
      detail={
        <>
          {detail}
          {href === null ? (
            `. ${daysWords(column.days)}`
          ) : (
            <>
              .{' '}
              <SectionLink
                href={href}
                className="text-accent hover:underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
              >
                {t.openDays({ days: daysWords(column.days) })}
              </SectionLink>
            </>
          )}
        </>
      }
    >
      <div className="py-2">
        <Legend
          entries={[
            { mark: 'success', label: t.success, value: countGood(column) },
            { mark: 'warning', label: t.warning, value: column.warning },
            { mark: 'missed', label: t.didNotRun, value: column.missed },
            { mark: 'failed', label: t.failed, value: column.failed },
          ]}
        />
      </div>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={t.dayOfChart}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={at + 1}
        aria-valuetext={columnWords(column)}
        className={getHref ? 'cursor-pointer touch-pan-y' : 'touch-pan-y'}
        onKeyDown={step}
        onPointerMove={(event) => setChosen(under(event))}
        onPointerLeave={(event) => {
          if (event.pointerType === 'mouse') setChosen(null);
        }}
        onPointerUp={(event) => {
          const one = columns[under(event)];
          setChosen(under(event));
          // A tap covers the bar, so on touch it only selects; the link beside the legend opens the
          // results.
          if (event.pointerType === 'mouse' && event.button === 0 && getHref && one)
            onOpen(getHref(one));
        }}
      >
        <svg
          aria-hidden
          className="db-chart block"
          width={width}
          height={CHART_TALL}
          viewBox={`0 0 ${width} ${CHART_TALL}`}
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
              height={axis}
              fill="var(--wash)"
            />
          )}
          <text x={CHART.left - 8} y="10" textAnchor="end">
            {drawn.upperLabel}
          </text>
          {drawn.lines.map(({ y, label }) => (
            <g key={y}>
              <path d={`M${CHART.left} ${y}H${width}`} stroke="var(--hair)" />
              <text x={CHART.left - 8} y={y + 4} textAnchor="end">
                {label}
              </text>
            </g>
          ))}
          {drawn.columns.map(({ good, failed, missed, warning }, i) => (
            <g key={columns[i]?.days[0]}>
              {good && <rect {...good} fill="var(--success-mark)" opacity=".55" />}
              {failed && <rect {...failed} fill="var(--failed-mark)" />}
              {missed && (
                <rect {...inner(missed)} fill="var(--sheet)" stroke="var(--missed-mark)" />
              )}
              {warning && <rect {...warning} fill={`url(#${ruled})`} />}
            </g>
          ))}
          <path d={`M${CHART.left} ${CHART.upper}H${width}`} stroke="var(--rule)" />
          <path d={`M${CHART.left} ${axis}H${width}`} stroke="var(--control)" />
          {names.map((i, place) => {
            const edge = place === names.length - 1;
            return (
              <text
                key={i}
                x={edge ? width : CHART.left + (i + 0.5) * drawn.step}
                y={CHART_TALL - 5}
                textAnchor={edge ? 'end' : 'middle'}
              >
                {dayWords(columns[i]?.days[1] ?? '').slice(0, 5)}
              </text>
            );
          })}
        </svg>
      </div>
      <Table columns={columns} />
    </Section>
  );
}

/** The same data as a table for screen readers. */
function Table({ columns }: { readonly columns: readonly Column[] }) {
  return (
    <div className="sr-only">
      <table>
        <caption>{t.resultsPerDay}</caption>
        <thead>
          <tr>
            {[t.days, t.failed, t.didNotRun, t.warning, t.success, t.ofTheseAnomalies].map(
              (word) => (
                <th key={word} scope="col">
                  {word}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {columns.toReversed().map((one) => (
            <tr key={one.days[0]}>
              <th scope="row">{daysWords(one.days)}</th>
              {[one.failed, one.missed, one.warning, countGood(one), one.anomaly].map(
                (value, i) => (
                  <td key={COLUMNS[i]}>{formatCount(value)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
const COLUMNS = ['failed', 'missed', 'warning', 'success', 'anomaly'] as const;

/** Insets a box by its outline. */
const inner = ({ x, y, width, height }: Box): Box => ({
  x: x + 0.5,
  y: y + 0.5,
  width: Math.max(0.5, width - 1),
  height: Math.max(0.5, height - 1),
});
