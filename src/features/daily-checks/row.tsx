// always redrawn as a whole: the compiler's memoization would add a third more code to the first
// load
'use no memo';
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- an ARIA grid instead of a table: only visible rows are rendered */
import { memo } from 'react';
import type { CSSProperties } from 'react';
import type { Ms } from '#contract/ids.ts';
import type { RunView } from '#contract/runs/query.ts';
import {
  formatAge,
  formatBytes,
  formatDate,
  formatDuration,
  formatSpan,
  formatTime,
  formatUtc,
  formatWhen,
} from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { StateMark } from '#src/ui/state-mark.tsx';
import { STATES } from '#src/ui/states.ts';
import { splitCause } from '../shared/runs/cause-pieces.ts';
import { Strip, UsualRange } from '../shared/runs/run-marks.tsx';
import { NARROW, WIDE } from '../shared/runs/spark-bars.ts';
import { doneWords, isDone, isException, rowWords, getStreakLabel } from '../shared/runs/labels.ts';
import { dailyChecksMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

/**
 * Props of a row besides its run. The grid reads clicks from `data-do` and `data-index`, so rows
 * have no handlers.
 */
export interface RowProps {
  readonly row: RunView;
  readonly index: number;
  /** Position in px if the row does not directly follow the previous one. */
  readonly apart: number | null;
  readonly selected: boolean;
  readonly cursor: boolean;
  /** The row is in the tab order; exactly one row is. */
  readonly tabbed: boolean;
  readonly open: boolean;
  /** The user may review, note and snooze. */
  readonly canAct: boolean;
  readonly me: string;
  readonly zone: string;
  readonly now: Ms;
}

type CellsProps = Pick<RowProps, 'row' | 'canAct' | 'me' | 'zone' | 'now'>;

export const Row = memo(function Row(props: RowProps) {
  const { row, canAct, me, zone, now, selected } = props;
  return (
    <div {...frame(props)} className="dc-row dc-line">
      <div role="gridcell" className="dc-sel">
        {canAct && <SelectBox on={selected} name={row.jobName} />}
      </div>
      <Cells row={row} canAct={canAct} me={me} zone={zone} now={now} />
    </div>
  );
}, sameRow);

/** Content of a run. It does not render again if the row is only selected, focused or moved. */
const Cells = memo(function Cells({ row, canAct, me, zone, now }: CellsProps) {
  const { problem } = row;
  const done = isDone(row);
  const bad = row.state === 'Failed' || row.state === 'Error';
  const streak = getStreakLabel(row);
  return (
    <>
      <div role="gridcell" className="dc-st">
        <StateMark state={row.state} done={done} />
        {streak !== '' && (
          <span className={(problem?.day ?? 0) >= 3 && !done ? 'dc-ag dc-old' : 'dc-ag'}>
            {streak}
          </span>
        )}
      </div>
      <div role="gridcell" className="dc-co dc-cut" data-tip={row.companyName}>
        {row.companyName}
      </div>
      <div role="gridcell" className="dc-job dc-cut" data-tip={row.jobName}>
        {row.jobName}
      </div>
      <div role="gridcell" className="dc-pc dc-cut" data-tip={row.computer}>
        {row.computer}
      </div>
      <div role="gridcell" className="dc-ca dc-cut dc-ag" data-tip={row.message ?? undefined}>
        <SecondLine row={row} canAct={canAct} me={me} zone={zone} now={now} />
      </div>
      <div role="gridcell" className="dc-days">
        <Strip strip={row.strip} size={WIDE} today={formatDate(now, zone)} />
      </div>
      <div role="gridcell" className="dc-at" data-tip={formatUtc(row.startedAt)}>
        {row.status === 'Missed' ? (
          <>
            <span className="text-ink-3">{t.notStarted}</span>
            <span className="dc-ag">{t.expectedAt({ time: formatTime(row.startedAt, zone) })}</span>
          </>
        ) : (
          <>
            {formatWhen(row.startedAt, zone)}
            <span className="dc-ag">{formatAge(row.startedAt, now)}</span>
          </>
        )}
      </div>
      <div role="gridcell" className="dc-du">
        {row.durationSec !== null && (
          <>
            {formatDuration(row.durationSec)}
            <UsualRange value={row.durationSec} usual={row.usualDuration} bad={bad} />
          </>
        )}
      </div>
      <div role="gridcell" className="dc-tr">
        {row.bytes !== null && (
          <>
            {formatBytes(row.bytes)}
            <UsualRange value={row.bytes} usual={row.usualBytes} bad={bad} />
          </>
        )}
      </div>
      <div
        role="gridcell"
        className="dc-last"
        data-tip={row.lastGoodAt === null ? t.noGoodRun : formatWhen(row.lastGoodAt, zone)}
      >
        {row.lastGoodAt === null ? (
          <span className="text-ink-3">{t.none}</span>
        ) : (
          (formatSpan(row.lastGoodAt, now) ?? t.justNow)
        )}
      </div>
      <div role="gridcell" className="dc-tk dc-cut" data-tip={ticketWords(problem)}>
        {problem?.ticket != null && (
          <>
            <bdi>{problem.ticket}</bdi>
            {problem.linkedTicket?.open === false && (
              <>
                {' '}
                <Icon name="check" size={12} label={t.closedLabel} className="text-success" />
              </>
            )}
          </>
        )}
      </div>
      <div role="gridcell" className="dc-note">
        {problem?.note && (
          <span data-tip={problem.note.content}>
            <Icon name="note" label={t.hasANote} />
          </span>
        )}
      </div>
      <div role="gridcell" className="dc-rev">
        <Tick row={row} canAct={canAct} />
      </div>
    </>
  );
}, sameRow);

/** Two lines of 56 px: icon in the margin, company and state, job and cause, strip, tick. */
export const Card = memo(function Card(props: RowProps) {
  const { row, canAct, me, zone, now, selected } = props;
  const done = isDone(row);
  const streak = getStreakLabel(row);
  return (
    <div {...frame(props)} className="dc-row dc-card">
      <div role="gridcell" className="dc-mk">
        {canAct ? (
          <button
            type="button"
            role="checkbox"
            aria-checked={selected}
            tabIndex={-1}
            data-do="select"
            aria-label={t.selectRun({
              run: t.jobOfCompany({ job: row.jobName, company: row.companyName }),
            })}
          >
            {selected ? (
              <span className="dc-box" data-on="">
                <Icon name="check" size={12} stroke={2.25} />
              </span>
            ) : (
              <StateMark state={row.state} done={done} bare />
            )}
          </button>
        ) : (
          <span>
            <StateMark state={row.state} done={done} bare />
          </span>
        )}
      </div>
      <div role="gridcell" className="dc-tx">
        <span className="dc-l1">
          <b className="dc-cut">{row.companyName}</b>
          {!done && (
            <span className="dc-ag">
              <span className={`font-semibold ${STATES[row.state].text}`}>
                {STATES[row.state].label}
              </span>
              {streak === '' ? '' : `, ${streak}`}
            </span>
          )}
        </span>
        <span className="dc-l2 dc-cut">
          {!done && (
            <em>
              {row.jobName}
              {(row.message ?? '') !== '' && ' · '}
            </em>
          )}
          <SecondLine row={row} canAct={canAct} me={me} zone={zone} now={now} short />
        </span>
      </div>
      <div role="gridcell" className="dc-days">
        <Strip strip={row.strip} size={NARROW} today={formatDate(now, zone)} />
      </div>
      <div role="gridcell" className="dc-rev">
        <Tick row={row} canAct={canAct} big />
      </div>
    </div>
  );
}, sameRow);

const ticketWords = (problem: RunView['problem']): string | undefined =>
  problem?.ticket == null
    ? undefined
    : problem.linkedTicket?.open === false
      ? t.ticketClosed({ ticket: problem.ticket })
      : problem.ticket;

/**
 * Compares rows by value: every answer of the worker brings new objects, but most of them are
 * equal.
 */
function sameRow<P extends { readonly row: RunView }>(a: P, b: P): boolean {
  for (const name of Object.keys(b) as (keyof P)[]) {
    if (name !== 'row' && a[name] !== b[name]) return false;
  }
  return a.row === b.row || JSON.stringify(a.row) === JSON.stringify(b.row);
}

/**
 * Rows follow each other in normal flow, so that none has its own style. Browsers derive the style
 * of cells from their row and reuse it between equal rows. With individual positions, style
 * calculation takes three times as long.
 */
export const placed = (apart: number | null): CSSProperties | undefined =>
  apart === null ? undefined : { position: 'absolute', top: apart };

const frame = ({
  row,
  index,
  apart,
  selected,
  cursor,
  tabbed,
  open,
  canAct,
  me,
  zone,
  now,
}: RowProps) => ({
  'role': 'row',
  'aria-rowindex': index + 2,
  ...(canAct && { 'aria-selected': selected }),
  'aria-label': rowWords(row, me, now, zone),
  'tabIndex': tabbed ? 0 : -1,
  'data-index': index,
  'data-run': row.n,
  'style': placed(apart),
  ...(selected && { 'data-selected': '' }),
  ...(cursor && { 'data-cursor': '' }),
  ...(open && { 'data-open': '', 'aria-current': true as const }),
  ...(isDone(row) && { 'data-done': '' }),
});

function SelectBox({ on, name }: { readonly on: boolean; readonly name: string }) {
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={on}
      aria-label={t.selectRun({ run: name })}
      tabIndex={-1}
      data-do="select"
      className="dc-boxed"
    >
      {on && (
        <span className="dc-box" data-on="">
          <Icon name="check" size={12} stroke={2.25} />
        </span>
      )}
    </button>
  );
}

interface SecondProps {
  readonly row: RunView;
  readonly canAct: boolean;
  readonly me: string;
  readonly zone: string;
  readonly now: Ms;
  readonly short?: boolean;
}

/**
 * The cause, or the action that cleared the row and its undo button; and whether the server has it
 * yet.
 */
function SecondLine({ row, canAct, me, zone, now, short = false }: SecondProps) {
  const done = doneWords(row, me, now, zone);
  const back =
    canAct && (row.problem?.review ?? (row.review === 'snoozed' ? row.problem?.snooze : null));
  return (
    <>
      {done === null
        ? splitCause(row.message ?? '', row.template).map((piece, i) =>
            piece.fixed ? piece.text : <i key={i}>{piece.text}</i>,
          )
        : done}
      {row.waiting && (
        <span className="dc-wait">
          <Icon name="cloud" size={12} />
          {t.notSentYet}
        </span>
      )}
      {done !== null && back && !short && (
        <button type="button" tabIndex={-1} data-do="undo" className="dc-undo">
          {uiMessages.undo}
        </button>
      )}
    </>
  );
}

function Tick({
  row,
  canAct,
  big = false,
}: {
  readonly row: RunView;
  readonly canAct: boolean;
  readonly big?: boolean;
}) {
  if (row.problem === null) return null;
  const run = t.jobOfCompany({ job: row.jobName, company: row.companyName });
  if (isException(row)) {
    const known = <Icon name="rules" size={big ? 20 : 16} />;
    if (!canAct)
      return (
        <span className="text-ink-3" data-tip={t.exception}>
          {known}
        </span>
      );
    return (
      <button
        type="button"
        tabIndex={-1}
        data-do="review"
        className="text-ink-3"
        data-tip={t.exception}
        aria-label={t.reopenException({ run })}
      >
        {known}
      </button>
    );
  }
  if (row.review === 'cleared') {
    const inked = <Icon name="tick" size={big ? 24 : 20} stroke={1.4} />;
    if (!canAct || !row.problem.review)
      return (
        <span className="dc-inked" data-tip={t.cleared}>
          {inked}
        </span>
      );
    return (
      <button
        type="button"
        tabIndex={-1}
        data-do="review"
        className="dc-inked"
        aria-label={t.reopenRun({ run })}
      >
        {inked}
      </button>
    );
  }
  if (row.review === 'snoozed')
    return (
      <span className="text-ink-3" data-tip={t.snoozed}>
        <Icon name="snooze" size={big ? 20 : 16} />
      </span>
    );
  if (!canAct) return <i className="dc-ring" data-tip={t.toCheck} />;
  return (
    <button type="button" tabIndex={-1} data-do="review" aria-label={t.reviewRun({ run })}>
      <i className="dc-ring" />
    </button>
  );
}
