'use no memo'; // redrawn as a whole where it is redrawn: the compiler's memory would cost a third more code on the first load
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- an ARIA grid and no table: of its rows those in sight are drawn */
import type { Ms } from '#contract/ids.ts';
import { formatDate } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { coverage } from './selection.ts';
import type { Selection } from './selection.ts';

interface HeadProps {
  readonly cards: boolean;
  readonly selection: Selection;
  readonly total: number;
  readonly zone: string;
  readonly now: Ms;
  readonly onSelectAll: () => void;
}

/** The column head folds as the rows do: State over Streak, Company over Cause. On cards it is there for screen readers only. */
export function ColumnHead({ cards, selection, total, zone, now, onSelectAll }: HeadProps) {
  const covered = coverage(selection, total);
  if (cards) {
    return (
      <div role="rowgroup" className="sr-only">
        <div role="row" aria-rowindex={1}>{['Select', 'Result', '14 days', 'Review'].map((word) => <span key={word} role="columnheader">{word}</span>)}</div>
      </div>
    );
  }
  return (
    <div role="rowgroup" className="contents">
      <div role="row" aria-rowindex={1} className="dc-hd">
        <div role="columnheader" className="dc-sel">
          <button
            type="button" role="checkbox" className="dc-boxed" aria-label="Select all that match" aria-keyshortcuts="Control+A Meta+A"
            aria-checked={covered === 'all' ? true : covered === 'some' ? 'mixed' : false} onClick={onSelectAll}
          >
            <span className="dc-box" {...(covered !== 'none' && { 'data-on': '' })}>
              {covered !== 'none' && <Icon name={covered === 'all' ? 'check' : 'minus'} size={12} stroke={2.25} />}
            </span>
          </button>
        </div>
        <div role="columnheader" className="dc-st dc-two"><b>State</b><span>Streak</span></div>
        <div role="columnheader" className="dc-co">Company</div>
        <div role="columnheader" className="dc-job">Job</div>
        <div role="columnheader" className="dc-pc">Computer</div>
        <div role="columnheader" className="dc-ca">Cause, first line</div>
        <div role="columnheader" className="dc-days dc-two"><span>14 days</span><span>to {formatDate(now, zone).slice(0, 5)}</span></div>
        <div role="columnheader" className="dc-at dc-two"><span>Started</span><span>Age</span></div>
        <div role="columnheader" className="dc-du dc-two"><span>Duration</span><span>and usual</span></div>
        <div role="columnheader" className="dc-tr dc-two"><span>Transferred</span><span>and usual</span></div>
        <div role="columnheader" className="dc-last dc-two"><span>Last</span><span>good</span></div>
        <div role="columnheader" className="dc-tk">Ticket</div>
        <div role="columnheader" className="dc-note"><Icon name="note" size={12} label="Note" /></div>
        <div role="columnheader" className="dc-rev"><Icon name="check" size={12} label="Review" /></div>
      </div>
    </div>
  );
}
