import { Link } from '@tanstack/react-router';
import type { CalendarView } from '#contract/calendar/calendar.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Button } from '#src/ui/button.tsx';
import { formatDate } from '#src/ui/format.ts';
import { clearedBoard, DEFAULT_BOARD, hasCalendarFilter } from './board.ts';
import type { CalendarBoard } from './board.ts';
import { calendarMessages as t } from './messages.en.ts';

interface EmptyProps {
  readonly view: CalendarView;
  readonly board: CalendarBoard;
  readonly zone: string;
  readonly onBoard: (next: CalendarBoard) => void;
}

/** Returns whether there is nothing to show for these days. */
export const isEmpty = (view: CalendarView): boolean => view.jobs === 0 || isAway(view);

const isAway = ({ days, keptFrom: storedFrom }: CalendarView): boolean =>
  storedFrom !== null && (days.at(-1)?.to ?? storedFrom + 1) <= storedFrom;

/** Explains why no job is listed, and what to do. */
export function Empty({ view, board, zone, onBoard }: EmptyProps) {
  const connects = useAbility('monitoring.sources');
  if (isAway(view) && view.keptFrom !== null) {
    return (
      <Notice
        icon="calendar"
        level={2}
        title={t.noDayStored}
        actions={
          <Button onClick={() => onBoard({ ...board, span: DEFAULT_BOARD.span, open: null })}>
            {t.showLast30Days}
          </Button>
        }
      >
        <p className="m-0">{t.storedFrom({ date: formatDate(view.keptFrom, zone) })}</p>
      </Notice>
    );
  }
  if (board.problemsOnly && !hasCalendarFilter({ ...board, problemsOnly: false })) {
    return (
      <Notice
        icon="tick"
        level={2}
        title={t.noProblems}
        actions={
          <Button onClick={() => onBoard({ ...board, problemsOnly: false })}>
            {t.showAllJobs}
          </Button>
        }
      >
        <p className="m-0">{t.allSucceeded}</p>
      </Notice>
    );
  }
  if (hasCalendarFilter(board)) {
    return (
      <Notice
        icon="search"
        level={2}
        title={t.noMatches}
        actions={<Button onClick={() => onBoard(clearedBoard(board))}>{t.clearFilters}</Button>}
      >
        <p className="m-0">{t.noMatchesHint}</p>
      </Notice>
    );
  }
  return (
    <Notice
      icon="calendar"
      level={2}
      title={t.noJobsYet}
      {...(connects && {
        actions: (
          <Link to="/monitoring/sources" className="text-accent underline underline-offset-2">
            {t.connectSource}
          </Link>
        ),
      })}
    >
      <p className="m-0">{connects ? t.firstReport : t.askToConnect}</p>
    </Notice>
  );
}
