/* oxlint-disable jsx-a11y/prefer-tag-over-role -- the header of an ARIA grid instead of a table */
import { weekday } from '#src/features/shared/date-range/dates.ts';
import type { Stretch } from '../shared/grid/virtual-window.ts';
import { monthName } from './steps.ts';
import { dayWords, WEEKDAYS } from './labels.ts';
import type { DayHead } from './labels.ts';

interface HeadProps {
  readonly days: readonly DayHead[];
  readonly seen: Stretch;
  readonly touch: boolean;
  readonly dayBegins: string | null;
}

/** Months above days. The head is sticky, and so is the corner above the row names. */
export function Head({ days, seen, touch, dayBegins }: HeadProps) {
  const months: { readonly name: string; days: number }[] = [];
  for (const { day } of days) {
    const name = monthName(day);
    const last = months.at(-1);
    if (last?.name === name) last.days += 1;
    else months.push({ name, days: 1 });
  }
  return (
    <div role="rowgroup" className="cal-head">
      <div aria-hidden className="cal-months">
        <span className="cal-left">
          {dayBegins !== null && (
            <span className="cal-cut">
              {touch ? `From ${dayBegins}` : `Days begin at ${dayBegins}`}
            </span>
          )}
        </span>
        {months.map(({ name, days: count }) => (
          <span key={name} className="cal-month" style={{ width: `calc(${count} * var(--col))` }}>
            <b>{count > 3 ? name : count > 1 ? name.slice(0, 3) : ''}</b>
          </span>
        ))}
      </div>
      <div role="row" aria-rowindex={1} className="cal-days">
        <span className="cal-left" role="presentation">
          <span role="columnheader" aria-colindex={1} className="cal-name">
            Job
          </span>
          {!touch && (
            <span role="columnheader" aria-colindex={2} className="cal-computer">
              Computer
            </span>
          )}
          {!touch && (
            <span
              role="columnheader"
              aria-colindex={3}
              className="cal-share"
              data-tip="Days that succeeded, of those on which something ended or should have run"
            >
              Good
            </span>
          )}
        </span>
        <span aria-hidden style={{ width: `calc(${seen.first} * var(--col))` }} />
        {days.slice(seen.first, seen.first + seen.count).map((day, i) => (
          <span
            key={day.day}
            role="columnheader"
            aria-colindex={seen.first + i + (touch ? 2 : 4)}
            className="cal-day"
            {...(day.today && { 'data-today': '' })}
          >
            <span className="sr-only">{dayWords(day)}</span>
            <span aria-hidden>{day.today ? 'today' : WEEKDAYS[weekday(day.day)]?.[0]}</span>
            <b aria-hidden>{Number(day.day.slice(8))}</b>
          </span>
        ))}
      </div>
    </div>
  );
}
