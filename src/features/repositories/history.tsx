import type { OutputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { MAX_REPORT_DAYS } from '#contract/runs/result-filters.ts';
import { formatBytes } from '#src/ui/format.ts';
import { Legend } from '#src/ui/legend.tsx';
import { useWidth } from '#src/ui/use-width.ts';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import { CHART } from '#src/features/shared/charts/scales.ts';
import { FromServer } from '#src/features/shared/section.tsx';
import { dayWords, toStretch } from '#src/features/shared/date-range/day-stretch.ts';
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
  const stretch = toStretch(span, dayAt(now, rule), rule);
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
const TALL = 168;
const FLOOR = TALL - CHART.under;
const LEFT = 64;

function Chart({ name, days }: { readonly name: string; readonly days: Days }) {
  const { box, width } = useWidth();
  const times = days.map(({ date }) => Date.parse(date));
  const first = times[0] ?? 0;
  const length = Math.max(1, (times.at(-1) ?? 0) - first);
  const top =
    Math.max(
      1,
      ...days.flatMap(({ usedBytes, capacityBytes }) => [usedBytes ?? 0, capacityBytes ?? 0]),
    ) * 1.05;
  const x = (i: number): number =>
    LEFT + (((times[i] ?? first) - first) / length) * (width - LEFT - 4);
  const y = (bytes: number): number => FLOOR - (bytes / top) * (FLOOR - 8);
  const path = (of: (day: Days[number]) => number | null): string =>
    days
      .flatMap((day, i) => {
        const bytes = of(day);
        return bytes === null ? [] : [`${x(i).toFixed(1)} ${y(bytes).toFixed(1)}`];
      })
      .join('L');
  const used = path(({ usedBytes }) => usedBytes);
  const capacity = path(({ capacityBytes }) => capacityBytes);
  const ends = [0, days.length - 1];
  return (
    <div>
      <div className="flex flex-wrap items-center gap-x-4 py-1">
        <Legend entries={[{ mark: 'trace', label: t.used }]} />
        <span className="inline-flex items-center gap-1.5 text-ink-2">
          <i aria-hidden className="w-3 border-t border-dashed border-ink" />
          {t.capacity}
        </span>
      </div>
      <div ref={box}>
        <svg
          aria-hidden
          className="db-chart block"
          width={width}
          height={TALL}
          viewBox={`0 0 ${width} ${TALL}`}
        >
          {[0.25, 0.5, 0.75, 1].map((part) => {
            const at = (top / 1.05) * part;
            return (
              <g key={part}>
                <path d={`M${LEFT} ${y(at)}H${width}`} stroke="var(--hair)" />
                <text x={LEFT - 8} y={y(at) + 4} textAnchor="end">
                  {formatBytes(at)}
                </text>
              </g>
            );
          })}
          {used !== '' && days.length > 1 && (
            <path
              d={`M${used}L${x(days.length - 1).toFixed(1)} ${FLOOR}L${x(0).toFixed(1)} ${FLOOR}Z`}
              fill="var(--band)"
              opacity=".5"
            />
          )}
          {used !== '' && (
            <path
              d={`M${used}${days.length === 1 ? 'h2' : ''}`}
              fill="none"
              stroke="var(--trace)"
              strokeWidth="2"
            />
          )}
          {capacity !== '' && (
            <path d={`M${capacity}`} fill="none" stroke="var(--ink)" strokeDasharray="4 3" />
          )}
          <path d={`M${LEFT} ${FLOOR}H${width}`} stroke="var(--control)" />
          {ends.map((i, place) =>
            place === 1 && days.length === 1 ? null : (
              <text
                key={place}
                x={place === 0 ? LEFT : width}
                y={TALL - 5}
                textAnchor={place === 0 ? 'start' : 'end'}
              >
                {dayWords(days[i]?.date ?? '')}
              </text>
            ),
          )}
        </svg>
      </div>
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
                  <td key={KEYS[i]}>{bytes === null ? t.noSize : formatBytes(bytes)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
const KEYS = ['used', 'free', 'capacity'] as const;
