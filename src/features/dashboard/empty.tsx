import { Link } from '@tanstack/react-router';
import type { Overview } from '#contract/dashboard/overview.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Button } from '#src/ui/button.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { FirstSteps } from '../shared/first-steps/first-steps.tsx';
import { BOARD } from './address.ts';
import type { DashboardBoard } from './address.ts';
import { dashboardMessages as t } from './messages.en.ts';

interface EmptyBoardProps {
  readonly why: 'nothing-kept' | 'no-results' | 'none-in-time';
  readonly board: DashboardBoard;
  readonly overview: Overview | null;
  readonly onBoard: (next: DashboardBoard) => void;
  readonly zone: string;
}

/**
 * A portal without reports: first steps for users who connect tools, and an explanation for others.
 */
export function NothingYet() {
  return useAbility('monitoring.sources') ? (
    <FirstSteps />
  ) : (
    <Notice icon="clock" level={2} title={t.noResultsYet}>
      <p className="m-0">{t.showsWhenReported}</p>
    </Notice>
  );
}

/** Explains why there are no figures, and what to do. */
export function EmptyBoard({ why, board, overview, onBoard, zone }: EmptyBoardProps) {
  const connects = useAbility('monitoring.sources');
  const narrowed = board.companies.length + board.instructionTypes.length > 0;
  return (
    <div className="grid justify-items-center gap-2 px-5 py-8 text-center">
      <h2 className="m-0 text-head">
        {why === 'nothing-kept'
          ? t.nothingStored
          : why === 'no-results'
            ? t.noResultsYet
            : t.noResultsInPeriod}
      </h2>
      <p className="m-0 text-ink-2">
        {why === 'nothing-kept' && t.reconnect}
        {why === 'no-results' && (connects ? t.showsWhenFirstReported : t.askToConnect)}
        {why === 'none-in-time' &&
          (narrowed
            ? t.noneFiltered
            : overview?.newestAt == null
              ? t.none
              : t.noneNewest({ time: formatWhen(overview.newestAt, zone) }))}
      </p>
      {why === 'no-results' && connects && (
        <Link to="/monitoring/sources" className="text-accent underline underline-offset-2">
          {t.connectSource}
        </Link>
      )}
      {why === 'none-in-time' && (
        <span className="flex flex-wrap justify-center gap-2 pt-1">
          <Button onClick={() => onBoard({ ...board, span: { kind: 'last', days: 30 } })}>
            {t.showLast30Days}
          </Button>
          {narrowed && (
            <Button onClick={() => onBoard({ ...BOARD, span: board.span })}>
              {t.showAllCompanies}
            </Button>
          )}
        </span>
      )}
    </div>
  );
}
