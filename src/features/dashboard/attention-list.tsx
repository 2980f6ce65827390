import { formatList } from '#contract/i18n/list.ts';
import type { ReactNode } from 'react';
import type { CompanyN, Ms } from '#contract/ids.ts';
import type { RunState } from '#contract/runs/query.ts';
import { formatDate, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { StateMark } from '#src/ui/state-mark.tsx';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { Strip } from '../shared/runs/run-marks.tsx';
import { WIDE } from '../shared/runs/spark-bars.ts';
import { resultsAddress } from '#src/features/shared/page-links/results.ts';
import type { DashboardBoard } from './address.ts';
import { headline, sinceText, whom } from './attention.ts';
import type { AttentionLine } from './attention.ts';
import { companyComputersAddress } from './computers.ts';
import { SectionLink } from '../shared/section-link.tsx';
import { fullWords } from '../shared/capacity.ts';
import { dashboardMessages as t } from './messages.en.ts';

interface AttentionListProps {
  readonly lines: readonly AttentionLine[];
  readonly board: DashboardBoard;
  readonly canOpen: boolean;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly companyName: (n: CompanyN) => string;
}

/** Open issues that need attention, worst first. */
export function AttentionList({
  lines,
  board,
  canOpen,
  rule,
  now,
  companyName,
}: AttentionListProps) {
  const zone = rule.zone;
  return (
    <ul className="m-0 list-none p-0">
      {lines.map((line) => {
        switch (line.kind) {
          case 'problem': {
            const { of } = line;
            const today = dayAt(now, rule);
            const first = dayAt(of.since, rule);
            const days = [first < today ? first : today, today] as const;
            const request = {
              days,
              companies: board.companies,
              instructionTypes: board.instructionTypes,
              pending: true,
            };
            return (
              <Row
                key={line.key}
                state={of.state}
                title={headline(of)}
                detail={whom(of)}
                since={of.since}
                now={now}
                zone={zone}
                strip={<Strip strip={of.strip} size={WIDE} today={formatDate(now, zone)} />}
                href={
                  canOpen
                    ? resultsAddress(
                        of.cause === null
                          ? { ...request, run: of.run }
                          : { ...request, cause: of.cause },
                      )
                    : null
                }
                act={of.cause === null ? t.open : t.openGroup}
              />
            );
          }
          case 'source': {
            const [one, ...others] = line.failed;
            return (
              <Row
                key={line.key}
                state="Failed"
                label={t.notSynced}
                title={
                  others.length === 0
                    ? (one?.entity ?? '')
                    : t.sourcesFailed({ count: line.failed.length })
                }
                detail={
                  others.length === 0
                    ? (one?.message ?? '')
                    : formatList(
                        line.failed.map(({ entity }) => entity),
                        'plain',
                      )
                }
                since={line.since}
                now={now}
                zone={zone}
                href="#last-sync"
                act={t.show}
              />
            );
          }
          case 'repository': {
            const [one, ...others] = line.of;
            if (!one) return null;
            return (
              <Row
                key={line.key}
                state={one.tone === 'failed' ? 'Failed' : 'Warning'}
                label={one.tone === 'failed' ? t.full : t.fillsUp}
                title={(/repo/i.test(one.name) ? t.namedRepositoryFull : t.repositoryFull)({
                  name: one.name,
                  full: fullWords(one, now),
                })}
                detail={
                  others.length === 0
                    ? companyName(one.company)
                    : t.andOtherRepositories({
                        company: companyName(one.company),
                        count: others.length,
                      })
                }
                now={now}
                zone={zone}
                until={one.fullAt}
                href="#repositories"
                act={t.show}
              />
            );
          }
          case 'computers': {
            const companies = new Set(line.of.map(({ company }) => company));
            const [company] = companies;
            return (
              <Row
                key={line.key}
                state="Missed"
                label={t.unprotected}
                title={t.computersWithoutJob({ count: line.of.length })}
                detail={
                  companies.size === 1 && company !== undefined
                    ? companyName(company)
                    : t.companyCount({ count: companies.size })
                }
                since={line.since}
                now={now}
                zone={zone}
                href={companyComputersAddress(board.companies, companyName)}
                act={t.show}
              />
            );
          }
        }
      })}
    </ul>
  );
}

interface RowProps {
  readonly state: RunState;
  /** Replaces the label of the state. */
  readonly label?: string;
  readonly title: string;
  readonly detail: string;
  readonly since?: Ms;
  /** Replaces the start: the time when it will happen. */
  readonly until?: Ms;
  readonly now: Ms;
  readonly zone: string;
  readonly strip?: ReactNode;
  readonly href: string | null;
  readonly act: string;
}

function Row({ state, label, title, detail, since, until, now, zone, strip, href, act }: RowProps) {
  return (
    <li
      className={`relative grid min-h-10 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 border-b border-hair py-1 max-tablet:py-2 ${href === null ? 'tablet:grid-cols-[100px_minmax(0,1fr)_86px_94px]' : 'tablet:grid-cols-[100px_minmax(0,1fr)_86px_94px_76px]'}`}
    >
      <span className="max-tablet:col-span-2 max-tablet:text-agate">
        {label === undefined ? <StateMark state={state} /> : <Worded state={state} label={label} />}
      </span>
      <span className={`min-w-0 leading-4 ${strip === undefined ? 'tablet:col-span-2' : ''}`}>
        <b className="block truncate" data-tip={title}>
          {title}
        </b>
        <span className="block truncate text-agate leading-4 text-ink-3" data-tip={detail}>
          {detail}
        </span>
      </span>
      {strip !== undefined && <span className="max-tablet:hidden">{strip}</span>}
      <span
        className="text-right whitespace-nowrap tabular-nums max-tablet:text-agate max-tablet:text-ink-2"
        data-tip={formatWhen(since ?? until ?? now, zone)}
      >
        {since !== undefined
          ? sinceText(since, now, zone)
          : until !== undefined
            ? formatDate(until, zone)
            : ''}
      </span>
      {href !== null && <Act href={href} act={act} about={title} />}
    </li>
  );
}

/** On touch the whole line is the link. */
function Act({
  href,
  act,
  about,
}: {
  readonly href: string;
  readonly act: string;
  readonly about: string;
}) {
  const shape =
    'inline-flex min-h-6 items-center justify-end text-right whitespace-nowrap text-accent hover:underline max-tablet:absolute max-tablet:inset-0 max-tablet:opacity-0 max-tablet:focus-visible:opacity-100';
  const words = <span className="max-tablet:sr-only">{act}</span>;
  const name = t.actOn({ action: act, subject: about });
  if (!href.startsWith('#'))
    return (
      <SectionLink href={href} className={shape} aria-label={name}>
        {words}
      </SectionLink>
    );
  return (
    <a
      href={href}
      className={shape}
      aria-label={name}
      onClick={(event) => {
        event.preventDefault();
        const place = document.getElementById(href.slice(1));
        place?.scrollIntoView({ block: 'nearest' });
        place?.focus();
      }}
    >
      {words}
    </a>
  );
}

const Worded = ({ state, label }: { readonly state: RunState; readonly label: string }) => (
  <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${COLOURS[state] ?? ''}`}>
    <Icon name={state === 'Missed' ? 'missed' : state === 'Warning' ? 'warning' : 'failed'} />
    <span>{label}</span>
  </span>
);
const COLOURS: Partial<Readonly<Record<RunState, string>>> = {
  Failed: 'font-semibold text-failed',
  Warning: 'text-warning',
  Missed: 'text-missed',
};
