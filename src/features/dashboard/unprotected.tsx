import type { CompanyN, Ms } from '#contract/ids.ts';
import type { ComputerOut } from '#contract/daily-checks/operator-calls.ts';
import { formatCount } from '#src/ui/format.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import type { DashboardBoard } from './address.ts';
import { companyComputersAddress, firstSeenWords, seenBy, unprotected } from './computers.ts';
import type { ChartColumn } from '../shared/charts/day-columns.ts';
import { StatFrame, Unit } from './stat.tsx';
import { toDayRange } from '../shared/date-range/day-range.ts';
import type { PolledQuery } from '../shared/queries/use-polled-query.ts';
import { dashboardMessages as t } from './messages.en.ts';

interface UnprotectedProps {
  readonly board: DashboardBoard;
  readonly query: PolledQuery<readonly ComputerOut[]>;
  readonly columns: readonly ChartColumn[];
  readonly rule: DayRule;
  readonly now: Ms;
  readonly companyName: (n: CompanyN) => string;
  readonly onBoard: (next: DashboardBoard) => void;
}

/** Computers without a backup that the server has seen. */
export function Unprotected({
  board,
  query,
  columns,
  rule,
  now,
  companyName,
  onBoard,
}: UnprotectedProps) {
  const stretch = toDayRange(board.own.unprotected ?? board.span, dayAt(now, rule), rule);
  const found = query.value === null ? null : unprotected(query.value, board.companies, now);
  const fresh = found === null ? null : firstSeenWords(found, stretch);
  return (
    <StatFrame
      name="unprotected"
      href={companyComputersAddress(board.companies, companyName, {
        days: stretch.days,
        instructionTypes: board.instructionTypes,
      })}
      board={board}
      stretch={stretch}
      rule={rule}
      now={now}
      onBoard={onBoard}
      figure={
        found === null ? (
          <Unit of={query.error === null ? t.loadingCount : t.unknownCount} />
        ) : (
          <>
            {formatCount(found.length)} <Unit of={t.computers({ count: found.length })} />
          </>
        )
      }
      trace={
        found === null || found.length === 0
          ? []
          : seenBy(
              found,
              columns.map(({ days: [, last] }) => last),
              rule,
            )
      }
      delta={fresh === null ? null : { label: fresh, way: null, tone: null }}
    >
      {query.error !== null && <p className="m-0 text-agate text-ink-2">{query.error}</p>}
    </StatFrame>
  );
}
