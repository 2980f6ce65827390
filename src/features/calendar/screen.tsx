import { useRouter } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import type { CalendarLine } from '#contract/calendar/calendar.ts';
import { lazyDialog } from '#src/ui/lazy-dialog.ts';
import { prefetch } from '#src/app/prefetch.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { announce } from '#src/app/shell/announce.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { SearchField } from '#src/ui/search-field.tsx';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import { spanKey } from '#src/features/shared/date-range/dates.ts';
import { SyncNotices } from '../shared/runs/sync-notices.tsx';
import { foldToggled, hasCalendarFilter } from './board.ts';
import type { OpenDay } from './board.ts';
import type { GridCursor } from '../shared/grid/cursor.ts';
import type { Names } from './day-popover.tsx';
import { Empty, isEmpty } from './empty.tsx';
import { Grid } from './grid.tsx';
import type { GridHandle } from './grid.tsx';
import { CalendarLegend } from './legend.tsx';
import { hourName } from './steps.ts';
import { Steps, Toolbar } from './toolbar.tsx';
import { useBoard } from './use-board.ts';
import { useTouch } from '../shared/grid/use-touch.ts';
import { badWords, cellWords, getCellForm, missingWords, getDayStatus } from './labels.ts';
import './calendar.css';
import { calendarMessages as t } from './messages.en.ts';

const popover = () => import('./day-popover.tsx');
const filters = () => import('./filters.tsx');
const print = () => import('./print.tsx');
const DayPopover = lazyDialog(async () => (await popover()).DayPopover);
const Filters = lazyDialog(async () => (await filters()).Filters);
const Print = lazyDialog(async () => (await print()).Print);

/** `/monitoring/calendar-report`: jobs in rows, days in columns. */
export function Calendar() {
  const branding = useBranding();
  return branding && <Sheet branding={branding} />;
}

const STILL = {};

function Sheet({ branding }: { readonly branding: Branding }) {
  const { board, setBoard, view: answer, query, rule, now, today, setLines } = useBoard(branding);
  const { history } = useRouter();
  const status = useWatch('status', STILL);
  const companies = useWatch('companies', STILL);
  const around = useRef<HTMLDivElement>(null);
  const grid = useRef<GridHandle>(null);
  const readout = useRef<HTMLSpanElement>(null);
  const [asking, setAsking] = useState(false);
  const [printing, setPrinting] = useState(false);
  const phone = !useIsTablet();
  const touch = useTouch();
  const view = answer ?? undefined;
  const jobs = view?.jobs ?? 0;
  const dayBegins = rule.hour === 0 ? null : hourName(rule.hour);
  useEffect(() => prefetch(popover, filters, print), []);
  const found = view === undefined ? '' : t.jobCount({ count: jobs });
  useEffect(() => {
    if (found !== '') announce(found);
  }, [found]);
  // The browser's own print command would print only the visible rows.
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (
        !(event.ctrlKey || event.metaKey) ||
        event.shiftKey ||
        event.altKey ||
        event.key.toLowerCase() !== 'p'
      )
        return;
      event.preventDefault();
      setPrinting(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  const openAt = (line: CalendarLine, day: number): void => {
    const head = view?.days[day];
    if (day < 0)
      return line.kind === 'company'
        ? setBoard({ ...board, fold: foldToggled(board.fold, line.company) }, 'replace')
        : history.push(jobAddress(line.job, spanKey(board.span)));
    if (!head || head.from > now) return undefined;
    const opened: OpenDay =
      line.kind === 'job'
        ? { of: 'job', n: line.job, day: head.day }
        : { of: 'company', n: line.company, day: head.day };
    const { open } = board;
    const same = open?.of === opened.of && open.n === opened.n && open.day === opened.day;
    return setBoard(
      { ...board, open: same ? null : opened },
      board.open === null ? 'push' : 'replace',
    );
  };
  const close = (): void => {
    setBoard({ ...board, open: null }, 'replace');
    grid.current?.focus();
  };
  const point = (line: CalendarLine | null, day: number): void => {
    const at = readout.current;
    const head = view?.days[day];
    if (!at) return;
    const state = head && getDayStatus(head, view?.keptFrom ?? null, now);
    at.textContent =
      !line || !head || !state
        ? ''
        : t.lineCell({
            name: line.name,
            cell:
              line.kind === 'job'
                ? cellWords(head, getCellForm(line.cells[day], state))
                : badWords(head, line.bad[day] ?? 0, state),
          });
  };

  const { open } = board;
  const place = open && view ? getLineIndex(view.lines, open) : -1;
  const day = open && view ? view.days.findIndex((one) => one.day === open.day) : -1;
  const cell: GridCursor | null =
    view && place >= 0 && day >= 0 ? { line: view.first + place, day } : null;
  const missing = view && view.jobs > 0 ? missingWords(view.days, view.keptFrom, now) : null;
  return (
    <Page
      title={t.calendarView}
      scroll="own"
      {...(dayBegins !== null && { detail: t.daysBeginAt({ time: dayBegins }) })}
      progress={<Steps board={board} today={today} onBoard={setBoard} />}
      search={
        <SearchField
          label={t.search}
          value={board.text}
          focusKey="/"
          onChange={(text) => setBoard({ ...board, text }, 'replace')}
          onLeave={() => grid.current?.focus()}
        />
      }
    >
      <div ref={around} className="cal-work">
        <div className="min-w-0">
          <Toolbar
            board={board}
            rule={rule}
            today={today}
            now={now}
            printing={printing}
            missing={missing}
            counted={
              view ? (hasCalendarFilter(board) ? t.jobsMatch : t.jobCount)({ count: jobs }) : ''
            }
            onBoard={setBoard}
            onFilters={() => setAsking(true)}
            onPrint={() => setPrinting(true)}
          />
          <SyncNotices status={status} newestAt={null} zone={rule.zone} now={now} />
          <div className="cal-note" {...(phone && { 'data-phone': '' })}>
            {phone && (
              <span className="min-w-0 grow text-ink">
                {missing ?? (dayBegins === null ? '' : t.daysBeginAt({ time: dayBegins }))}
              </span>
            )}
            {!phone && <span ref={readout} aria-hidden className="cal-cut grow text-ink" />}
            {phone ? (
              <details>
                <summary>{t.legend}</summary>
                <CalendarLegend />
              </details>
            ) : (
              <CalendarLegend />
            )}
          </div>
        </div>
        {view && isEmpty(view) ? (
          <div className="min-h-0 overflow-auto">
            <Empty view={view} board={board} zone={rule.zone} onBoard={setBoard} />
          </div>
        ) : (
          <Grid
            ref={grid}
            view={view}
            touch={touch}
            dayBegins={dayBegins}
            now={now}
            daysKey={`${spanKey(board.span)} ${today}`}
            open={cell}
            onLines={setLines}
            onOpen={openAt}
            onPoint={point}
          />
        )}
        {open !== null && view && (
          <Suspense>
            <DayPopover
              key={`${open.of} ${open.n} ${open.day}`}
              names={getNames(view.lines, open, companies ?? [])}
              opened={open}
              mode={board.mode}
              rule={rule}
              availableFrom={view.keptFrom}
              phone={phone}
              around={around}
              cell={() => (cell ? (grid.current?.cell(cell) ?? null) : null)}
              onClose={close}
            />
          </Suspense>
        )}
      </div>
      {asking && (
        <Suspense>
          <Filters
            board={board}
            from={query.from}
            to={query.to}
            jobs={jobs}
            phone={phone}
            onBoard={(next) => setBoard({ ...next, open: null })}
            onClose={() => setAsking(false)}
          />
        </Suspense>
      )}
      {printing && (
        <Suspense>
          <Print
            query={query}
            board={board}
            branding={branding}
            companies={companies ?? []}
            today={today}
            now={now}
            onDone={() => setPrinting(false)}
          />
        </Suspense>
      )}
    </Page>
  );
}

const jobAddress = (job: number, date: string): string =>
  `/monitoring/daily-checks?date=${date}&rows=runs&review=any&order=newest&job=${job}`;

const getLineIndex = (
  lines: readonly CalendarLine[],
  { of, n }: { readonly of: 'job' | 'company'; readonly n: number },
): number =>
  lines.findIndex(
    (line) => line.kind === of && (line.kind === 'job' ? line.job : line.company) === n,
  );

/**
 * Returns the names of the open cell; a job's company is the row above it. Null if the job is out
 * of sight.
 */
function getNames(
  lines: readonly CalendarLine[],
  open: { readonly of: 'job' | 'company'; readonly n: number },
  companies: readonly { readonly n: number; readonly name: string }[],
): Names | null {
  if (open.of === 'company')
    return {
      title: companies.find(({ n }) => n === open.n)?.name ?? t.company,
      detail: t.failedOrMissed,
    };
  const at = getLineIndex(lines, open);
  const line = lines[at];
  if (line?.kind !== 'job') return null;
  const company = lines.slice(0, at).findLast((one) => one.kind === 'company')?.name ?? '';
  return {
    title: line.name,
    detail:
      line.computer === ''
        ? company
        : company === ''
          ? t.onComputer({ computer: line.computer })
          : t.companyOnComputer({ company, computer: line.computer }),
  };
}
