// redrawn as a whole where it is redrawn: the compiler's memory would cost a third more code on the
// first load
'use no memo';
import { formatCount, plural } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { IconName } from '#src/ui/icon.tsx';
import { Kbd } from '#src/ui/kbd.tsx';
import { MAC } from './keyboard-shortcuts.ts';
import { companiesOf } from './selection.ts';
import type { Selection } from './selection.ts';

export type BulkDeed =
  | 'review'
  | 'reopen'
  | 'snooze'
  | 'wake'
  | 'note'
  | 'ticket'
  | 'all'
  | 'clear';

interface BulkProps {
  readonly selection: Selection;
  readonly total: number;
  readonly phone: boolean;
  /** What the list shows: of what is cleared "open again" is offered, of what is snoozed "wake". */
  readonly showing: string | null;
  readonly busy: boolean;
  readonly onDeed: (deed: BulkDeed) => void;
}

/** Paper turned over, docked under the list. */
export function BulkBar({ selection, total, phone, showing, busy, onDeed }: BulkProps) {
  const count = selection.runs.size;
  const companies = companiesOf(selection);
  const deeds: readonly {
    readonly deed: BulkDeed;
    readonly word: string;
    readonly keycap: string | null;
    readonly icon: IconName;
  }[] = [
    showing === 'cleared'
      ? { deed: 'reopen', word: 'Open again', keycap: null, icon: 'undo' }
      : { deed: 'review', word: 'Review', keycap: 'E', icon: 'check' },
    showing === 'snoozed'
      ? { deed: 'wake', word: 'Wake', keycap: null, icon: 'undo' }
      : { deed: 'snooze', word: 'Snooze', keycap: 'S', icon: 'snooze' },
    { deed: 'note', word: 'Note', keycap: 'N', icon: 'note' },
    { deed: 'ticket', word: 'Ticket', keycap: 'T', icon: 'ticket' },
  ];
  const all = count < total && (
    <button type="button" onClick={() => onDeed('all')} aria-keyshortcuts="Control+A Meta+A">
      {phone && <Icon name="daily-checks" size={20} stroke={1.4} />}All {formatCount(total)}
      {phone ? '' : ' that match'}
      {!phone && <Kbd on="bar">{MAC ? '⌘A' : 'Ctrl A'}</Kbd>}
    </button>
  );
  const what = (
    <>
      <b>{formatCount(count)} selected</b>
      {companies !== null && (
        <span className="pr-2 pl-1.5 text-on-bar-2">
          {plural(companies, 'company', 'companies')}
        </span>
      )}
    </>
  );
  const clear = (
    <button
      type="button"
      aria-label={phone ? 'Clear the selection' : 'Clear the selection, Esc'}
      data-tip="Clear the selection (Esc)"
      onClick={() => onDeed('clear')}
    >
      <Icon name="close" />
      {!phone && (
        <span className="dc-esc">
          <Kbd on="bar">Esc</Kbd>
        </span>
      )}
    </button>
  );
  return (
    <div
      className="dc-bulk"
      role="toolbar"
      aria-label="Selection"
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
      {deeds.map(({ deed, word, keycap, icon }) => (
        <button
          key={deed}
          type="button"
          onClick={() => onDeed(deed)}
          {...(keycap !== null && { 'aria-keyshortcuts': keycap })}
        >
          {phone && <Icon name={icon} size={20} stroke={1.4} />}
          {word}
          {!phone && keycap !== null && <Kbd on="bar">{keycap}</Kbd>}
        </button>
      ))}
      {all}
      {!phone && <span className="grow" />}
      {!phone && clear}
    </div>
  );
}
