/* oxlint-disable jsx-a11y/prefer-tag-over-role -- the header of an ARIA grid instead of a table */
import { Fragment } from 'react';
import type { Day } from '#contract/ids.ts';
import { SkippedColumns } from '../shared/grid/skipped-columns.tsx';
import { withSkipped } from '../shared/grid/virtual-window.ts';
import { monthName, shortMonthName, weekdayName } from './steps.ts';
import { dayTitle } from './labels.ts';
import type { DayHead } from './labels.ts';
import { calendarMessages as t } from './messages.en.ts';

interface HeadProps {
  readonly days: readonly DayHead[];
  /** The indexes of the rendered days. */
  readonly shown: readonly number[];
  readonly touch: boolean;
  readonly dayBegins: string | null;
}

/** Months above days. The head is sticky, and so is the corner above the row names. */
export function CalendarHead({ days, shown, touch, dayBegins }: HeadProps) {
  const months: { readonly name: string; readonly first: Day; days: number }[] = [];
  for (const { day } of days) {
    const name = monthName(day);
    const last = months.at(-1);
    if (last?.name === name) last.days += 1;
    else months.push({ name, first: day, days: 1 });
  }
  return (
    <div role="rowgroup" className="cal-head">
      <div aria-hidden className="cal-months">
        <span className="cal-left">
          {dayBegins !== null && (
            <span className="cal-cut">
              {touch ? t.daysBeginShort({ time: dayBegins }) : t.daysBeginAt({ time: dayBegins })}
            </span>
          )}
        </span>
        {months.map(({ name, first, days: count }) => (
          <span key={name} className="cal-month" style={{ width: `calc(${count} * var(--col))` }}>
            <b>{count > 3 ? name : count > 1 ? shortMonthName(first) : ''}</b>
          </span>
        ))}
      </div>
      <div role="row" aria-rowindex={1} className="cal-days">
        <span className="cal-left" role="presentation">
          <span role="columnheader" aria-colindex={1} className="cal-name">
            {t.job}
          </span>
          {!touch && (
            <span role="columnheader" aria-colindex={2} className="cal-computer">
              {t.computer}
            </span>
          )}
          {!touch && (
            <span role="columnheader" aria-colindex={3} className="cal-share" data-tip={t.goodHint}>
              {t.good}
            </span>
          )}
        </span>
        {withSkipped(shown).map(({ index, skipped }) => {
          const day = days[index];
          if (!day) return null;
          return (
            <Fragment key={day.day}>
              <SkippedColumns count={skipped} width="var(--col)" />
              <span
                role="columnheader"
                aria-colindex={index + (touch ? 2 : 4)}
                className="cal-day"
                {...(day.today && { 'data-today': '' })}
              >
                <span className="sr-only">{dayTitle(day)}</span>
                <span aria-hidden>{day.today ? t.today : weekdayName(day.day, 'narrow')}</span>
                <b aria-hidden>{Number(day.day.slice(8))}</b>
              </span>
            </Fragment>
          );
        })}
      </div>
    </div>
  );
}
