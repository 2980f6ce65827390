import { Suspense } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Day, Ms } from '#contract/ids.ts';
import { MAX_REPORT_DAYS } from '#contract/runs/result-filters.ts';
import { Areas } from '#src/ui/charts/lazy-charts.ts';
import { ColumnChart, useChosenColumn } from '#src/ui/charts/column-chart.tsx';
import { roundUpScale, UNDER } from '#src/ui/charts/scales.ts';
import { formatBytes } from '#src/ui/format.ts';
import { Legend } from '#src/ui/legend.tsx';
import { addDays, dayAt } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import { FromServer } from '#src/features/shared/section.tsx';
import { dayWords, toDayRange } from '#src/features/shared/date-range/day-range.ts';
import { usePolledQuery } from '#src/features/shared/queries/use-polled-query.ts';
import { TooLong } from '#src/features/shared/query-states.tsx';
import { repositoryMessages as t } from './messages.en.ts';

interface HistoryProps {
  readonly id: string;
  readonly name: string;
  readonly span: Span;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly onSpan: (span: Span) => void;
  readonly formatAge: (at: number) => string;
}

/** Used space of a repository at the end of each day, with its capacity. */
export function History({ id, name, span, rule, now, onSpan, formatAge }: HistoryProps) {
  const stretch = toDayRange(span, dayAt(now, rule), rule);
  const tooLong = stretch.count > MAX_REPORT_DAYS;
  const request = usePolledQuery(
    'repositoryHistory',
    {
      repositoryId: id,
      from: new Date(stretch.from).toISOString(),
      to: new Date(stretch.to).toISOString(),
    },
    !tooLong,
  );
  return (
    <section aria-label={t.historyOf({ name })} className="px-4 pt-1 pb-4 desk:px-6">
      <div className="flex flex-wrap items-center gap-2 py-1">
        <SpanChoice span={span} rule={rule} now={now} onSpan={onSpan} />
      </div>
      {tooLong ? (
        <TooLong />
      ) : (
        <FromServer query={request} formatAge={formatAge} lines={3}>
          {({ rows: [row] }) =>
            row === undefined || row.days.length === 0 ? (
              <p className="m-0 py-3 text-ink-2">{t.noHistory}</p>
            ) : (
              <Chart name={name} days={row.days} />
            )
          }
        </FromServer>
      )}
    </section>
  );
}

type Days = OutputOf<'repositoryHistory'>['rows'][number]['days'];
/** CSS pixels: from the top to the axis, of it above the scale, and for the labels of the scale. */
const FLOOR = 148;
const ABOVE = 8;
const LEFT = 64;

function Chart({ name, days }: { readonly name: string; readonly days: Days }) {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const dates = getDates(days);
  const chosen = useChosenColumn(dates.length);
  const date = dates[chosen.at] ?? '';
  const used = formatSize(byDate.get(date)?.usedBytes);
  const capacity = formatSize(byDate.get(date)?.capacityBytes);
  return (
    <div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 py-1">
        <span className="text-ink-2">{dayWords(date)}</span>
        <Legend entries={[{ mark: 'trace', label: t.used, value: used }]} />
        <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-ink-2">
          <i aria-hidden className="w-3 border-t border-dashed border-ink" />
          {t.capacity} <b className="text-ink">{capacity}</b>
        </span>
      </div>
      <ColumnChart
        label={t.dayOfHistory({ name })}
        count={dates.length}
        column={chosen}
        text={t.dayInWords({ day: dayWords(date), used, capacity })}
        height={FLOOR + UNDER}
        floor={FLOOR}
        left={LEFT}
        onOpen={null}
      >
        {(step) => <Drawing days={days} dates={dates} step={step} />}
      </ColumnChart>
      <div className="sr-only">
        <table>
          <caption>{t.historyCaption({ name })}</caption>
          <thead>
            <tr>
              <th scope="col">{t.day}</th>
              <th scope="col">{t.used}</th>
              <th scope="col">{t.free}</th>
              <th scope="col">{t.capacity}</th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.date}>
                <th scope="row">{dayWords(day.date)}</th>
                {[day.usedBytes, day.freeBytes, day.capacityBytes].map((bytes, i) => (
                  <td key={KEYS[i]}>{formatSize(bytes)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
interface DrawingProps {
  readonly days: Days;
  readonly dates: readonly Day[];
  readonly step: number;
}

/** A component of its own, so that a moving cursor doesn't draw it again. */
function Drawing({ days, dates, step }: DrawingProps) {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const sizes = days.flatMap(({ usedBytes, capacityBytes }) => [
    usedBytes ?? 0,
    capacityBytes ?? 0,
  ]);
  return (
    <Suspense>
      <Areas
        marks={MARKS}
        places={dates.map((date) => ({
          name: dayWords(date),
          values: [byDate.get(date)?.usedBytes ?? null, byDate.get(date)?.capacityBytes ?? null],
        }))}
        top={roundUpScale(Math.max(0, ...sizes))}
        format={formatBytes}
        y={ABOVE}
        left={LEFT}
        step={step}
      />
    </Suspense>
  );
}

const formatSize = (bytes: number | null | undefined): string =>
  bytes == null ? t.noSize : formatBytes(bytes);
const MARKS = ['trace', 'limit'] as const;

/** Returns every day from the first to the last one, so that equal times are equally far apart. */
function getDates(days: Days): readonly Day[] {
  const dates: Day[] = [];
  const last = days.at(-1)?.date ?? '';
  for (let date = days[0]?.date ?? last; date !== '' && date <= last; date = addDays(date, 1))
    dates.push(date);
  return dates;
}
const KEYS = ['used', 'free', 'capacity'] as const;
