import { Link } from '@tanstack/react-router';
import type { CalendarView } from '#contract/calendar/calendar.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Button } from '#src/ui/button.tsx';
import { formatDate } from '#src/ui/format.ts';
import { cleared, DEFAULTS, isNarrowed } from './board.ts';
import type { Board } from './board.ts';

interface EmptyProps {
  readonly view: CalendarView;
  readonly board: Board;
  readonly zone: string;
  readonly onBoard: (next: Board) => void;
}

/** Returns whether there is nothing to show for these days. */
export const isEmpty = (view: CalendarView): boolean => view.jobs === 0 || isAway(view);

const isAway = ({ days, keptFrom }: CalendarView): boolean =>
  keptFrom !== null && (days.at(-1)?.to ?? keptFrom + 1) <= keptFrom;

/** Explains why no job is listed, and what to do. */
export function Empty({ view, board, zone, onBoard }: EmptyProps) {
  const connects = useAbility('monitoring.sources');
  if (isAway(view) && view.keptFrom !== null) {
    return (
      <Notice
        icon="calendar"
        level={2}
        title="These days are not kept"
        actions={
          <Button onClick={() => onBoard({ ...board, span: DEFAULTS.span, open: null })}>
            Show the last 30 days
          </Button>
        }
      >
        <p className="m-0">This device keeps results from {formatDate(view.keptFrom, zone)} on.</p>
      </Notice>
    );
  }
  if (board.problemsOnly && !isNarrowed({ ...board, problemsOnly: false })) {
    return (
      <Notice
        icon="tick"
        level={2}
        title="No problems"
        actions={
          <Button onClick={() => onBoard({ ...board, problemsOnly: false })}>Show all jobs</Button>
        }
      >
        <p className="m-0">Every job that is kept here succeeded on all of these days.</p>
      </Notice>
    );
  }
  if (isNarrowed(board)) {
    return (
      <Notice
        icon="search"
        level={2}
        title="Nothing matches"
        actions={<Button onClick={() => onBoard(cleared(board))}>Clear the filters</Button>}
      >
        <p className="m-0">No job has all of these.</p>
      </Notice>
    );
  }
  return (
    <Notice
      icon="calendar"
      level={2}
      title="No jobs yet"
      {...(connects && {
        actions: (
          <Link to="/monitoring/sources" className="text-accent underline underline-offset-2">
            Connect a source
          </Link>
        ),
      })}
    >
      <p className="m-0">
        Jobs show here as soon as a backup tool reports.
        {connects ? '' : ' Ask an administrator to connect the backup tools.'}
      </p>
    </Notice>
  );
}
