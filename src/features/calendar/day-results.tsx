import type { RefObject } from 'react';
import type { CalendarMode } from '#contract/calendar/calendar.ts';
import type { Ms } from '#contract/ids.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { RunsFilter, RunsView, RunView } from '#contract/runs/query.ts';
import { formatBytes, formatDuration, formatTime, formatWhen } from '#src/ui/format.ts';
import { Kbd } from '#src/ui/kbd.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { StateMark } from '#src/ui/state-mark.tsx';
import type { RunsWatch } from '#workers/api.ts';
import { addDays, firstMomentOfDay } from '#src/features/shared/date-range/dates.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { splitCause } from '../shared/runs/cause-pieces.ts';
import { SectionLink } from '../shared/section-link.tsx';
import { dayListAddress } from './address.ts';
import type { OpenDay } from './board.ts';
import { shownResult } from './labels.ts';
import { calendarMessages as t } from './messages.en.ts';

export interface DayResultsProps {
  readonly opened: OpenDay;
  readonly view: RunsView | undefined;
  readonly mode: CalendarMode;
  readonly rule: DayRule;
  /** Start of the data on this device. */
  readonly availableFrom: Ms | null;
  readonly first?: RefObject<HTMLAnchorElement | null>;
}

const MAX_SHOWN = 50;

/** Returns the worker query of an open cell. */
export const getResults = (opened: OpenDay, rule: DayRule): RunsWatch => ({
  filter: toRunsFilter(opened, rule),
  window: { first: 0, count: MAX_SHOWN },
  isInUse: false,
  folded: NONE,
  round: 0,
});

/** The results of a job's day, newest first. For a company, those that failed or did not run. */
export function DayResults({
  opened,
  view,
  mode,
  rule,
  availableFrom: storedFrom,
  first,
}: DayResultsProps) {
  const job = opened.of === 'job';
  const away = storedFrom !== null && firstMomentOfDay(opened.day, rule) < storedFrom;
  const details = view?.rows.find(({ message }) => message !== null);
  const total = view?.total ?? 0;
  return (
    <>
      <div className="min-h-0 overflow-auto overscroll-contain px-4 pb-2">
        {job && details && (
          <p className="m-0 pb-2 break-words">
            <Message run={details} />
          </p>
        )}
        {view === undefined && (
          <DelayedFallback>
            <p className="m-0 py-1 text-ink-3" aria-busy="true">
              {t.loadingResults}
            </p>
          </DelayedFallback>
        )}
        {view !== undefined && total === 0 && (
          <p className="m-0 py-1 text-ink-2">
            {away ? t.resultsNotStored : job ? t.nothingRan : t.noProblemsOnDay}
          </p>
        )}
        {view !== undefined && total > 0 && (
          <ol className="m-0 list-none border-t border-hair p-0">
            {view.rows.map((run) => (
              <li key={run.n} className="border-b border-hair">
                {job ? (
                  <OfJob run={run} opened={opened} zone={rule.zone} />
                ) : (
                  <OfCompany run={run} opened={opened} zone={rule.zone} />
                )}
              </li>
            ))}
          </ol>
        )}
        {total > MAX_SHOWN && (
          <p className="m-0 pt-1 text-agate text-ink-3">
            {t.moreInList({ count: total - MAX_SHOWN })}
          </p>
        )}
      </div>
      <div className="flex items-center gap-3 rounded-b-part border-t border-rule bg-paper px-4 py-2">
        <span className="min-w-0 grow text-agate text-ink-2">
          {job && total > 1
            ? shownResult(mode, t.resultCount({ count: total }))
            : t.resultCount({ count: total })}
        </span>
        <SectionLink
          ref={first}
          href={dayListAddress(opened)}
          className="inline-flex items-center gap-2 text-accent underline underline-offset-2 pointer-coarse:min-h-11"
        >
          {t.openList}
          <Kbd>Enter</Kbd>
        </SectionLink>
      </div>
    </>
  );
}

interface ResultProps {
  readonly run: RunView;
  readonly opened: OpenDay;
  readonly zone: string;
}

function OfJob({ run, opened, zone }: ResultProps) {
  return (
    <SectionLink
      href={dayListAddress(opened, run.n)}
      className="cal-result hover:bg-wash"
      data-tip={formatWhen(run.startedAt, zone)}
    >
      <span>{formatTime(run.startedAt, zone)}</span>
      <StateMark state={run.state} />
      <span>
        {run.durationSec === null || run.state === 'Missed' ? '' : formatDuration(run.durationSec)}
      </span>
      <span>{run.bytes === null ? '' : formatBytes(run.bytes)}</span>
    </SectionLink>
  );
}

function OfCompany({ run, opened, zone }: ResultProps) {
  return (
    <SectionLink href={dayListAddress(opened, run.n)} className="block py-1 hover:bg-wash">
      <span className="flex items-center gap-3">
        <StateMark state={run.state} />
        <span className="ml-auto text-agate text-ink-3">{formatTime(run.startedAt, zone)}</span>
      </span>
      <span className="block truncate" data-tip={run.jobName}>
        {run.computer === ''
          ? run.jobName
          : t.jobOnComputer({ job: run.jobName, computer: run.computer })}
      </span>
    </SectionLink>
  );
}

/** Common phrases are muted, as in the list. */
function Message({ run }: { readonly run: RunView }) {
  let at = 0;
  return splitCause(run.message ?? '', run.template).map(({ text, fixed }) => {
    at += text.length;
    return fixed ? text : <b key={at}>{text}</b>;
  });
}

function toRunsFilter({ of, n, day }: OpenDay, rule: DayRule): RunsFilter {
  const time = { from: firstMomentOfDay(day, rule), to: firstMomentOfDay(addDays(day, 1), rule) };
  return of === 'job'
    ? { ...EVERYTHING, ...time, jobs: [n] }
    : {
        ...EVERYTHING,
        ...time,
        companies: [n],
        states: ['Failed', 'Error', 'Missed'],
        order: 'worst',
      };
}

const NONE: readonly number[] = [];
