import type { ReactNode } from 'react';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { RunView } from '#contract/runs/query.ts';
import type { LinkedTicket } from '#contract/runs/rows.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useBranding } from '#src/app/session/session.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import {
  formatAge,
  formatCount,
  formatDate,
  formatTime,
  formatUtc,
  formatWhen,
} from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { StateMark } from '#src/ui/state-mark.tsx';
import { splitCause } from '../../shared/runs/cause-pieces.ts';
import type { ScrollState } from '../lines.ts';
import { doneWords, isException, getStreakLabel, TYPE_WORDS } from '../../shared/runs/labels.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { IgnoreMissed } from './ignore-missed.tsx';
import { getRuleAddress } from '../../shared/page-links/rules.ts';
import { slaAddress } from '../../sla/address.ts';
import { ticketAddress } from '../../shared/page-links/tickets.ts';
import { Hints } from './hints.tsx';
import { History } from './history.tsx';
import { LastRuns } from './last-runs.tsx';
import { RunLogPanel } from './log.tsx';
import { Objects } from './objects.tsx';
import { RunsAround } from './neighboring-runs.tsx';
import { reportedFacts } from './run-facts.ts';
import { SameCause } from './same-cause.tsx';
import type { Days } from './same-cause-query.ts';
import { ToolDetails } from './tool-details.tsx';
import type { ExecutionQuery } from './use-execution.ts';
import './run-panel.css';
import { runPanelMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

export type PanelAction =
  | 'review'
  | 'review-with'
  | 'reopen'
  | 'snooze'
  | 'unsnooze'
  | 'note'
  | 'ticket'
  | 'not-anomaly';

export interface PanelProps {
  readonly row: RunView;
  /**
   * The job's last runs on this device, newest first; empty if the device does not know the job.
   */
  readonly runs: readonly RunView[];
  readonly query: ExecutionQuery;
  /** Position in the list, or in its group. */
  readonly scrollState: ScrollState;
  readonly canAct: boolean;
  readonly me: string;
  readonly zone: string;
  readonly now: Ms;
  readonly phone: boolean;
  /** The days of the list. */
  readonly days: Days;
  readonly onAction: (action: PanelAction) => void;
  readonly onMove: (by: 1 | -1) => void;
  /** Opens another run of the same job. */
  readonly onRun: (row: Pick<RunView, 'n' | 'job'>) => void;
  readonly onCause: (cause: number) => void;
  readonly onClose: () => void;
}

/**
 * Panel of one result beside the list: facts, comparison with the job's usual runs, log and
 * history.
 */
export function RunPanel(props: PanelProps) {
  const {
    row,
    runs,
    query,
    scrollState,
    canAct,
    me,
    zone,
    now,
    phone,
    days,
    onMove,
    onRun,
    onCause,
    onClose,
  } = props;
  const { problem } = row;
  const keepsRules = useAbility('monitoring.rules');
  const features = useBranding()?.features;
  const makesRules = features?.rules === true && keepsRules;
  const reports = features?.reporting.enabled === true;
  const { execution } = query;
  const done = doneWords(row, me, now, zone);
  const streak = getStreakLabel(row);
  const ended =
    row.durationSec === null || row.status === 'Missed'
      ? null
      : row.startedAt + row.durationSec * 1000;
  return (
    <>
      <header className="rp-head">
        <div className="-mr-2 flex h-7 items-center">
          <span className="inline-flex items-center">
            <StateMark state={row.state} />
            {streak !== '' && (
              <span className={row.state === 'Failed' ? 'font-semibold text-failed' : 'text-ink-2'}>
                , {streak}
              </span>
            )}
          </span>
          <span className="dc-ag ml-auto pr-1.5">
            {scrollState === 'out'
              ? t.notListed
              : scrollState === 'far'
                ? ''
                : t.position({
                    place: formatCount(scrollState[0]),
                    total: formatCount(scrollState[1]),
                  })}
          </span>
          <IconButton
            icon="chevron-up"
            label={t.previous}
            keycap="K"
            className="px-1"
            onClick={() => onMove(-1)}
          />
          <IconButton
            icon="chevron-down"
            label={t.next}
            keycap="J"
            className="px-1"
            onClick={() => onMove(1)}
          />
          {!phone && (
            <IconButton
              icon="close"
              label={uiMessages.close}
              keycap="Esc"
              className="px-1"
              onClick={onClose}
            />
          )}
        </div>
        {!phone && <h2 className="m-0 mt-0.5 text-head break-words">{row.companyName}</h2>}
        <p className="m-0 break-words text-ink-2">
          {row.computer === ''
            ? row.jobName
            : t.jobOnComputer({ job: row.jobName, computer: row.computer })}
        </p>
        <p className="dc-ag m-0">
          {(row.managed === null
            ? t.sourceAndType
            : row.managed
              ? t.sourceAndTypeManaged
              : t.sourceAndTypeNotManaged)({
            source: SOURCE_NAMES[row.source],
            type: TYPE_WORDS[row.type],
          })}
        </p>
        {done !== null && (
          <p className="rp-done">
            <Icon
              name={row.review === 'snoozed' ? 'snooze' : isException(row) ? 'rules' : 'check'}
              className={`mt-px ${isException(row) ? 'text-ink-3' : 'text-accent'}`}
            />
            <span className="min-w-0 break-words">{done}</span>
          </p>
        )}
      </header>
      <div className="rp-body">
        <p className="m-0 pt-3 pb-2.5 break-words">
          {row.message === null ? (
            `${row.status === 'Running' ? t.running : t.noProblemsReported}. `
          ) : (
            <>
              <Message row={row} />
              {/[.!?]$/.test(row.message) ? ' ' : '. '}
            </>
          )}
          {row.lastGoodAt === null
            ? t.noGoodBackup
            : t.lastGoodBackup({
                time: formatWhen(row.lastGoodAt, zone),
                age: formatAge(row.lastGoodAt, now),
              })}
        </p>
        <dl className="rp-facts">
          <Fact
            label={row.status === 'Missed' ? t.expected : t.started}
            tip={formatUtc(row.startedAt)}
          >
            {formatDate(row.startedAt, zone) === formatDate(now, zone)
              ? formatTime(row.startedAt, zone)
              : formatWhen(row.startedAt, zone)}
          </Fact>
          <Fact label={t.ended} {...(ended !== null && { tip: formatUtc(ended) })}>
            {ended === null
              ? row.status === 'Missed'
                ? t.didNotRun
                : t.unknown
              : formatTime(ended, zone)}
          </Fact>
          <Fact label={t.nextExpected}>
            {execution?.expectedAt ? whenShort(Date.parse(execution.expectedAt), now, zone) : '–'}
          </Fact>
          <Fact label={t.schedule}>{row.scheduleState ?? '–'}</Fact>
          <Fact label={t.files}>
            {execution?.filesTotal == null
              ? '–'
              : execution.filesFailed
                ? t.filesFailed({
                    count: formatCount(execution.filesTotal),
                    failed: formatCount(execution.filesFailed),
                  })
                : formatCount(execution.filesTotal)}
          </Fact>
          {execution !== null &&
            reportedFacts(execution, zone).map(({ label, value, tip, isWide }) => (
              <Fact
                key={label}
                label={label}
                isWide={isWide ?? false}
                {...(tip !== undefined && { tip })}
              >
                {value}
              </Fact>
            ))}
          {problem?.ticket != null && (
            <div className="col-span-full flex items-baseline gap-2 pt-1.5">
              <dt>{t.ticket}</dt>
              <dd className="min-w-0 break-words">
                {problem.linkedTicket ? (
                  <TicketOf number={problem.ticket} linkedTicket={problem.linkedTicket} />
                ) : (
                  problem.ticket
                )}
              </dd>
            </div>
          )}
        </dl>
        {row.job > 0 ? (
          <LastRuns key={row.job} row={row} last={runs} zone={zone} onRun={onRun} />
        ) : (
          execution !== null && <RunsAround execution={execution} zone={zone} onRun={onRun} />
        )}
        {execution !== null && query.at !== null && (
          <p className="dc-ag m-0 pt-3">
            {t.asOf({ time: formatWhen(query.at, zone) })} {query.message}
          </p>
        )}
        <Objects key={`objects ${row.n}`} query={query} zone={zone} />
        <RunLogPanel key={`log ${row.n}`} query={query} />
        <ToolDetails key={`details ${row.n}`} row={row} query={query} />
        {problem && problem.cause > 0 && (
          <SameCause
            row={row}
            cause={problem.cause}
            days={days}
            zone={zone}
            now={now}
            onAll={() => onCause(problem.cause)}
          />
        )}
        <Hints
          key={`hints ${row.n}`}
          row={row}
          canAct={canAct}
          isReady={execution !== null || query.message !== null}
        />
        {problem?.note && (
          <Said icon="note" by={`${problem.note.name}, ${formatWhen(problem.note.at, zone)}`}>
            {problem.note.content}
          </Said>
        )}
        {problem?.hints?.map(({ name, hint }) => (
          <Said key={name} icon="hint" by={t.hintOfRule({ rule: name })}>
            {hint}
          </Said>
        ))}
        {problem?.snooze && row.review === 'snoozed' && (
          <Said icon="snooze" by={t.snoozedBy({ name: problem.snooze.name })}>
            {t.snoozedUntil({
              time: formatWhen(problem.snooze.until, zone),
              reason: problem.snooze.reason,
            })}
          </Said>
        )}
        {row.waiting && (
          <Said icon="cloud" by={t.unsentHint}>
            {t.unsentChange}
          </Said>
        )}
        <History query={query} zone={zone} />
        {problem !== null && makesRules && (
          <p className="m-0 pt-3">
            <SectionLink
              href={getRuleAddress(row)}
              className="text-accent underline pointer-coarse:inline-block pointer-coarse:min-h-11"
            >
              {t.createRule}
            </SectionLink>
          </p>
        )}
        {canAct && reports && execution !== null && (
          <p className="m-0 pt-3">
            <SectionLink
              href={slaAddress({
                alarm: 'new',
                job: {
                  uid: execution.jobInstanceUid,
                  name: t.jobOfCompany({ job: row.jobName, company: row.companyName }),
                },
              })}
              className="text-accent underline pointer-coarse:inline-block pointer-coarse:min-h-11"
            >
              {t.createAlarm}
            </SectionLink>
          </p>
        )}
        <span className="block h-4" />
      </div>
      {canAct && problem && (
        <Actions {...props} jobInstanceUid={execution?.jobInstanceUid ?? null} />
      )}
    </>
  );
}

function Actions({
  row,
  onAction,
  zone,
  now,
  jobInstanceUid,
}: PanelProps & { readonly jobInstanceUid: string | null }) {
  const open = row.review === 'pending' || (row.review === 'snoozed' && !isOver(row));
  return (
    <footer className="rp-foot">
      {row.review === 'cleared' ? (
        <Button
          className="grow"
          disabled={!(row.problem?.review ?? row.problem?.exception)}
          keycap="E"
          onClick={() => onAction('reopen')}
        >
          {t.reopen}
        </Button>
      ) : (
        <Button variant="primary" className="grow" keycap="E" onClick={() => onAction('review')}>
          {t.review}
        </Button>
      )}
      {row.review === 'snoozed' ? (
        <Button className="grow" onClick={() => onAction('unsnooze')}>
          {t.endSnooze}
        </Button>
      ) : (
        <Button className="grow" keycap="S" disabled={!open} onClick={() => onAction('snooze')}>
          {t.snooze}
        </Button>
      )}
      <div className="flex w-full flex-wrap justify-between">
        <Button
          variant="quiet"
          size="sm"
          className="-ml-2"
          keycap="N"
          onClick={() => onAction('note')}
        >
          {t.note}
        </Button>
        <Button variant="quiet" size="sm" keycap="T" onClick={() => onAction('ticket')}>
          {row.problem?.ticket ? t.editTicket : t.ticket}
        </Button>
        {row.review !== 'cleared' && (
          <Button variant="quiet" size="sm" keycap="⇧E" onClick={() => onAction('review-with')}>
            {t.withComment}
          </Button>
        )}
        {row.state === 'Missed' && row.problem?.closedAt === null && (
          <IgnoreMissed
            jobInstanceUid={jobInstanceUid}
            about={t.jobOfCompany({ job: row.jobName, company: row.companyName })}
            zone={zone}
            now={now}
            ignored={
              row.review === 'snoozed' && row.problem.snooze?.reason === MESSAGES.notExpected
            }
          />
        )}
        {row.state === 'Anomaly' && row.review !== 'cleared' && (
          <Button
            variant="quiet"
            size="sm"
            className="-mr-2"
            onClick={() => onAction('not-anomaly')}
          >
            {t.notAnAnomaly}
          </Button>
        )}
      </div>
    </footer>
  );
}

/** Ticket number, linked for users with access, and whether the ticket is open. */
function TicketOf({
  number,
  linkedTicket,
}: {
  readonly number: string;
  readonly linkedTicket: LinkedTicket;
}) {
  const canOpenTickets = useAbility('monitoring.tickets');
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      {canOpenTickets ? (
        <SectionLink href={ticketAddress(linkedTicket.id)} className="text-accent underline">
          {number}
        </SectionLink>
      ) : (
        number
      )}
      <span
        className={`inline-flex items-center gap-1 ${linkedTicket.open ? 'text-running' : 'text-success'}`}
      >
        <Icon name={linkedTicket.open ? 'ticket' : 'success'} size={12} />
        {linkedTicket.open ? t.open : t.closed}
      </span>
    </span>
  );
}

const isOver = (row: RunView): boolean => row.problem?.closedAt != null;

function Message({ row }: { readonly row: RunView }) {
  let at = 0;
  return splitCause(row.message ?? '', row.template).map(({ text, fixed }) => {
    at += text.length;
    return fixed ? text : <b key={at}>{text}</b>;
  });
}

/** `isWide`: on a line of its own, after the others. */
function Fact({
  label,
  tip,
  isWide = false,
  children,
}: {
  readonly label: string;
  readonly tip?: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div
      data-tip={tip}
      {...(isWide && { className: 'col-span-full flex items-baseline gap-2 pt-1.5' })}
    >
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Said({
  icon,
  by,
  children,
}: {
  readonly icon: 'note' | 'snooze' | 'cloud' | 'hint';
  readonly by: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="grid grid-cols-[16px_minmax(0,1fr)] gap-2.5 pt-3">
      <Icon name={icon} className="mt-px text-ink-3" />
      <div>
        <p className="m-0 break-words whitespace-pre-line">{children}</p>
        <p className="dc-ag m-0 pt-0.5">{by}</p>
      </div>
    </section>
  );
}

const whenShort = (at: Ms, now: Ms, zone: string): string =>
  Math.abs(at - now) < 86_400_000 ? formatTime(at, zone) : formatWhen(at, zone);
