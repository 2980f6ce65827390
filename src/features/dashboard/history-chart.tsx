import { Suspense } from 'react';
import { Bars } from '#src/ui/charts/lazy-charts.ts';
import { ColumnChart, useChosenColumn } from '#src/ui/charts/column-chart.tsx';
import { labelled, roomFor, roundUpScale, UNDER } from '#src/ui/charts/scales.ts';
import { formatCount } from '#src/ui/format.ts';
import { Legend } from '#src/ui/legend.tsx';
import { columnWords, countBad, countGood } from '../shared/charts/day-columns.ts';
import type { ChartColumn } from '../shared/charts/day-columns.ts';
import { SectionLink } from '../shared/section-link.tsx';
import { DashboardSection } from '../shared/section.tsx';
import { daysWords, dayWords } from '../shared/date-range/day-range.ts';
import { dashboardMessages as t } from './messages.en.ts';

/** CSS pixels: the scale of successes, the gap below it, and the scale of all other results. */
const UPPER = 34;
const GAP = 24;
const LOWER = 186;
const FLOOR = UPPER + GAP + LOWER;
/** Of a column's width. */
const BAR = 0.72;

interface HistoryChartProps {
  readonly title: string;
  /** Period of the chart: `30 days`. */
  readonly detail: string;
  readonly columns: readonly ChartColumn[];
  /** Address of a column's results; null if the user may not see them. */
  readonly getHref: ((column: ChartColumn) => string) | null;
  readonly onOpen: (href: string) => void;
}

/**
 * Two charts: successes on their own scale, and all other results below. The legend shows the day
 * at the pointer or keyboard cursor, by default the newest. A click or Enter opens its results.
 */
export function HistoryChart({ title, detail, columns, getHref, onOpen }: HistoryChartProps) {
  const count = columns.length;
  const chosen = useChosenColumn(count);
  const column = columns[chosen.at];
  if (!column) return null;
  const href = getHref?.(column) ?? null;
  const open = (at: number): void => {
    const one = columns[at];
    if (getHref && one) onOpen(getHref(one));
  };
  return (
    <DashboardSection
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
      <ColumnChart
        label={t.dayOfChart}
        count={count}
        column={chosen}
        text={columnWords(column)}
        height={FLOOR + UNDER}
        floor={FLOOR}
        onOpen={getHref ? open : null}
      >
        {(step) => <Storeys columns={columns} step={step} />}
      </ColumnChart>
      <Table columns={columns} />
    </DashboardSection>
  );
}

interface StoreysProps {
  readonly columns: readonly ChartColumn[];
  readonly step: number;
}

/** Successes above; below, failed on the axis, then missed, then warnings. */
function Storeys({ columns, step }: StoreysProps) {
  const bar = Math.max(1, step * BAR);
  const names = labelled(columns.length, step);
  return (
    <Suspense>
      <Bars
        marks={['success']}
        columns={columns.map((column) => [countGood(column)])}
        top={roomFor(Math.max(0, ...columns.map(countGood)))}
        y={0}
        height={UPPER}
        scale="top"
        names={null}
        bar={bar}
        step={step}
      />
      <Bars
        marks={['failed', 'missed', 'warning']}
        columns={columns.map(({ failed, missed, warning }) => [failed, missed, warning])}
        top={roundUpScale(Math.max(0, ...columns.map(countBad)))}
        y={UPPER + GAP}
        height={LOWER}
        scale="steps"
        names={columns.map(({ days }, i) =>
          names.includes(i) ? dayWords(days[1]).slice(0, 5) : '',
        )}
        bar={bar}
        step={step}
      />
    </Suspense>
  );
}

/** The same data as a table for screen readers. */
function Table({ columns }: { readonly columns: readonly ChartColumn[] }) {
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
