import { formatList } from '#contract/i18n/list.ts';
import { useEffect, useEffectEvent, useState } from 'react';
import { createPortal } from 'react-dom';
import type { Branding } from '#contract/branding/branding.ts';
import type { CalendarQuery, CalendarLine, CalendarView } from '#contract/calendar/calendar.ts';
import type { CompanyN, Day, Ms } from '#contract/ids.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { formatWhen } from '#src/ui/format.ts';
import { richText } from '#src/ui/rich-text.tsx';
import { weekday } from '#src/features/shared/date-range/dates.ts';
import { TYPE_WORDS } from '../shared/runs/labels.ts';
import { ENTITY_GROUP_WORDS } from '#src/features/shared/runs/labels.ts';
import type { CalendarBoard } from './board.ts';
import { DAY, firstJobs, markPaths, TALL } from './print-marks.ts';
import { hourName, monthName, periodName, shortMonthName } from './steps.ts';
import {
  formLabel,
  getCellForm,
  LEGEND,
  missingWords,
  modeLabel,
  shareOrDash,
  getDayStatus,
} from './labels.ts';
import type { DayStatus } from './labels.ts';
import './print.css';
import { calendarMessages as t } from './messages.en.ts';

interface PrintProps {
  readonly query: CalendarQuery;
  readonly board: CalendarBoard;
  readonly branding: Branding;
  readonly companies: readonly { readonly n: CompanyN; readonly name: string }[];
  readonly today: Day;
  readonly now: Ms;
  readonly onDone: () => void;
}

/** Limit of printed jobs: more would make a very long document and slow the browser down. */
const MAX_JOBS = 2_000;

/**
 * Prints all days of all matching jobs: queries them once, renders them beside the page, prints and
 * removes them.
 */
export function Print(props: PrintProps) {
  const [view, setView] = useState<CalendarView | null>(null);
  const { query, companies, onDone } = props;
  const done = useEffectEvent(onDone);
  // No answer means that the worker has failed; the page already shows that.
  const begin = useEffectEvent((): void => {
    once({
      ...query,
      folded: [],
      rows: { first: 0, count: MAX_JOBS + companies.length + 1 },
    }).then(setView, onDone);
  });
  useEffect(() => begin(), []);
  useEffect(() => {
    if (!view) return undefined;
    const over = (): void => done();
    addEventListener('afterprint', over);
    const frame = requestAnimationFrame(() => globalThis.print());
    return () => {
      removeEventListener('afterprint', over);
      cancelAnimationFrame(frame);
    };
  }, [view]);
  return view && createPortal(<Paper {...props} view={view} />, document.body);
}

/** Resolves with the first answer that is not null. */
async function once(ask: CalendarQuery): Promise<CalendarView> {
  const { promise, resolve } = Promise.withResolvers<CalendarView>();
  const watch = await client().watch('calendar', ask, (view) => {
    if (view) resolve(view);
  });
  const view = await promise;
  watch.close();
  return view;
}

function Paper({
  view,
  board,
  branding,
  companies,
  today,
  now,
}: PrintProps & { readonly view: CalendarView }) {
  const { days, keptFrom: storedFrom, jobs } = view;
  const { timeZone, dayBeginsHour } = branding;
  const standings = days.map((day) => getDayStatus(day, storedFrom, now));
  const { lines, left } = firstJobs(view.lines, jobs, MAX_JOBS);
  const missing = missingWords(days, storedFrom, now);
  const narrow = narrowedWords(board, companies);
  const when = {
    time: hourName(dayBeginsHour),
    zone: timeZone,
    when: formatWhen(now, timeZone),
  };
  const few = days.length <= 45;
  return (
    <section className="cal-paper" aria-hidden>
      <header>
        <h1>{branding.name}</h1>
        <p>
          {richText(t.printTitle, {
            title: <b>{t.printedPeriod({ period: periodName(board.span, today) })}</b>,
            result: modeLabel(board.mode),
          })}
        </p>
        <p>
          {narrow === ''
            ? t.printedJobs({ count: jobs, ...when })
            : t.printedFilteredJobs({ count: jobs, filters: narrow, ...when })}
        </p>
        {missing !== null && <p>{t.printedNote({ note: missing })}</p>}
        <ul>
          {LEGEND.filter((form) => form !== 'error').map((form) => (
            <li key={form}>
              <Marks forms={[form]} wide />
              {form === 'failed' ? t.failedOrError : formLabel(form)}
            </li>
          ))}
        </ul>
      </header>
      <table>
        <colgroup>
          <col className="cal-p-name" />
          <col className="cal-p-computer" />
          <col className="cal-p-share" />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th>{t.job}</th>
            <th>{t.computer}</th>
            <th>{t.good}</th>
            <th>
              <span className="cal-p-days">
                {days.map(({ day }, i) => (
                  <span key={day} data-weekend={weekday(day) % 6 === 0}>
                    {(i === 0 || day.endsWith('-01')) && (
                      <i>{few ? monthName(day) : shortMonthName(day)}</i>
                    )}
                    <b>{few || isMarked(day) ? Number(day.slice(8)) : ''}</b>
                  </span>
                ))}
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <PaperLine
              key={line.kind === 'job' ? `j${line.job}` : `c${line.company}`}
              line={line}
              statuses={standings}
            />
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <p>{richText(t.narrowToPrint, { left: <b>{t.jobsLeftOut({ count: left })}</b> })}</p>
      )}
    </section>
  );
}

function PaperLine({
  line,
  statuses,
}: {
  readonly line: CalendarLine;
  readonly statuses: readonly DayStatus[];
}) {
  if (line.kind === 'company') {
    return (
      <tr className="cal-p-company">
        <td colSpan={2}>{t.printedLine({ name: line.name, count: line.jobs })}</td>
        <td>{shareOrDash(line.share)}</td>
        <td>
          <span className="cal-p-days">
            {statuses.map((_, i) => (
              <span key={i}>{(line.bad[i] ?? 0) > 0 ? line.bad[i] : ''}</span>
            ))}
          </span>
        </td>
      </tr>
    );
  }
  return (
    <tr>
      <td>{line.name}</td>
      <td>{line.computer}</td>
      <td>{shareOrDash(line.share)}</td>
      <td>
        <Marks forms={statuses.map((status, i) => getCellForm(line.cells[i], status))} />
      </td>
    </tr>
  );
}

function Marks({
  forms,
  wide = false,
}: {
  readonly forms: Parameters<typeof markPaths>[0];
  readonly wide?: boolean;
}) {
  return (
    <svg
      viewBox={`0 0 ${forms.length * DAY} ${TALL}`}
      preserveAspectRatio="none"
      {...(wide && { 'data-one': '' })}
    >
      {markPaths(forms).map(({ form, d }) => (
        <path key={form} className={`cal-p-${form}`} d={d} />
      ))}
    </svg>
  );
}

/**
 * Returns whether a day has a number in a quarter: the first of each month, and Mondays with enough
 * distance to it.
 */
const isMarked = (day: Day): boolean =>
  day.endsWith('-01') || (weekday(day) === 1 && day.slice(8) > '03' && day.slice(8) < '30');

/** Returns the active filters as text. */
function narrowedWords(board: CalendarBoard, companies: PrintProps['companies']): string {
  return formatList(
    [
      ...(board.companies.length > 5
        ? [t.companyCount({ count: board.companies.length })]
        : board.companies.map((n) => companies.find((one) => one.n === n)?.name ?? '')),
      ...board.sources.map((source) => SOURCE_NAMES[source]),
      ...board.types.map((type) => TYPE_WORDS[type]),
      ...board.instructionTypes.map((group) => ENTITY_GROUP_WORDS[group]),
      board.problemsOnly ? t.withProblems : '',
      board.text === '' ? '' : t.searchText({ text: board.text }),
    ].filter((word) => word !== ''),
    'plain',
  );
}
