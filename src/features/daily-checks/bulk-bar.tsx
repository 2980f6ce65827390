// always redrawn as a whole: the compiler's memoization would add a third more code to the first
// load
'use no memo';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { IconName } from '#src/ui/icon.tsx';
import { Kbd } from '#src/ui/kbd.tsx';
import { MAC } from './keyboard-shortcuts.ts';
import { getCompanies } from './selection.ts';
import type { SelectedRuns } from './selection.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

export type BulkAction =
  | 'review'
  | 'reopen'
  | 'snooze'
  | 'unsnooze'
  | 'note'
  | 'ticket'
  | 'all'
  | 'clear';

interface BulkProps {
  readonly selection: SelectedRuns;
  readonly total: number;
  readonly phone: boolean;
  /** The list's review filter: cleared results can be reopened, snoozed ones unsnoozed. */
  readonly showing: string | null;
  readonly busy: boolean;
  readonly onAction: (action: BulkAction) => void;
}

/** Actions for the selected results, docked below the list. */
export function BulkBar({ selection, total, phone, showing, busy, onAction }: BulkProps) {
  const count = selection.runs.size;
  const companies = getCompanies(selection);
  const actions: readonly {
    readonly action: BulkAction;
    readonly label: string;
    readonly keycap: string | null;
    readonly icon: IconName;
  }[] = [
    showing === 'cleared'
      ? { action: 'reopen', label: t.reopen, keycap: null, icon: 'undo' }
      : { action: 'review', label: t.review, keycap: 'E', icon: 'check' },
    showing === 'snoozed'
      ? { action: 'unsnooze', label: t.endSnooze, keycap: null, icon: 'undo' }
      : { action: 'snooze', label: t.snooze, keycap: 'S', icon: 'snooze' },
    { action: 'note', label: t.note, keycap: 'N', icon: 'note' },
    { action: 'ticket', label: t.ticket, keycap: 'T', icon: 'ticket' },
  ];
  const all = count < total && (
    <button type="button" onClick={() => onAction('all')} aria-keyshortcuts="Control+A Meta+A">
      {phone && <Icon name="daily-checks" size={20} stroke={1.4} />}
      {(phone ? t.selectAllCount : t.selectAllMatchingCount)({ count: formatCount(total) })}
      {!phone && <Kbd on="bar">{MAC ? '⌘A' : t.selectAllKeys}</Kbd>}
    </button>
  );
  const what = (
    <>
      <b>{t.selectedCount({ count: formatCount(count) })}</b>
      {companies !== null && (
        <span className="pr-2 pl-1.5 text-on-bar-2">{t.companyCount({ count: companies })}</span>
      )}
    </>
  );
  const clear = (
    <button
      type="button"
      aria-label={phone ? t.clearSelection : t.clearSelectionWithKey}
      data-tip={t.clearSelectionTip}
      onClick={() => onAction('clear')}
    >
      <Icon name="close" />
      {!phone && (
        <span className="dc-esc">
          <Kbd on="bar">{t.escapeKey}</Kbd>
        </span>
      )}
    </button>
  );
  return (
    <div
      className="dc-bulk"
      role="toolbar"
      aria-label={t.selection}
      aria-busy={busy}
      {...(phone && { 'data-phone': '' })}
    >
      {phone ? (
        <p>
          {what}
          {clear}
        </p>
      ) : (
        what
      )}
      {actions.map(({ action, label, keycap, icon }) => (
        <button
          key={action}
          type="button"
          onClick={() => onAction(action)}
          {...(keycap !== null && { 'aria-keyshortcuts': keycap })}
        >
          {phone && <Icon name={icon} size={20} stroke={1.4} />}
          {label}
          {!phone && keycap !== null && <Kbd on="bar">{keycap}</Kbd>}
        </button>
      ))}
      {all}
      {!phone && <span className="grow" />}
      {!phone && clear}
    </div>
  );
}
