import { useRef, useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Change } from '#contract/runs/change.ts';
import type { RunsFacets } from '#contract/runs/query.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Kbd } from '#src/ui/kbd.tsx';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import type { OpenDialog } from './open-dialog.ts';
import { ColumnsDialog } from './columns-dialog.tsx';
import { Facets, FacetsHead } from './facets.tsx';
import { HELP } from './help.ts';
import { MAC } from './keyboard-shortcuts.ts';
import type { List } from '../shared/runs/list-state.ts';
import { SnoozeForm } from './snooze-form.tsx';
import { TicketDialog } from './ticket-dialog.tsx';
import type { ColumnChoice } from './use-columns.ts';
import { dailyChecksMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

export interface DialogsProps {
  readonly dialog: OpenDialog;
  readonly list: List;
  readonly facets: RunsFacets | undefined;
  readonly total: number;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly canAct: boolean;
  readonly choice: ColumnChoice;
  readonly onList: (next: List, at?: number) => void;
  readonly onChange: (change: Change, runs: readonly number[]) => void;
  readonly onClose: () => void;
}

/** All dialogs of the page, loaded when the first one opens. */
export function Dialogs(props: DialogsProps) {
  const { dialog, onClose, onChange } = props;
  switch (dialog.kind) {
    case 'help':
      return <Help canAct={props.canAct} onClose={onClose} />;
    case 'facets':
      return (
        <Dialog
          title={t.filters}
          place="bottom"
          onClose={onClose}
          footer={
            <Button variant="primary" className="grow" onClick={onClose}>
              {t.showResults({ count: props.total })}
            </Button>
          }
        >
          <div className="dc-facets border-0 px-4">
            <FacetsHead list={props.list} onList={props.onList} />
            <Facets facets={props.facets} list={props.list} onList={props.onList} />
          </div>
        </Dialog>
      );
    case 'snooze':
      return (
        <SnoozeForm
          title={t.snoozeTitle({ subject: about(dialog) })}
          zone={props.rule.zone}
          now={props.now}
          onClose={onClose}
          onSnooze={(until, reason) => {
            onChange({ kind: 'snooze', until, reason }, dialog.runs);
            onClose();
          }}
        />
      );
    case 'note': {
      const before = dialog.row?.problem?.note?.content ?? '';
      return (
        <Words
          title={t.noteTitle({ subject: about(dialog) })}
          label={t.note}
          first={before}
          confirmLabel={t.saveNote}
          onClose={onClose}
          detail={t.noteHint}
          onDone={(words) => {
            if (words.trim() !== before)
              onChange(
                { kind: 'note', content: words.trim() === '' ? null : words.trim() },
                dialog.runs,
              );
            onClose();
          }}
          needed={before === ''}
        />
      );
    }
    case 'columns':
      return <ColumnsDialog choice={props.choice} onClose={onClose} />;
    case 'ticket':
      return (
        <TicketDialog
          title={t.ticketTitle({ subject: about(dialog) })}
          runs={dialog.runs}
          row={dialog.row}
          onNamed={(ticket) => onChange({ kind: 'ticket', ticket }, dialog.runs)}
          onClose={onClose}
        />
      );
    case 'review':
      return (
        <Words
          title={t.reviewTitle({ subject: about(dialog) })}
          label={t.comment}
          first=""
          confirmLabel={t.review}
          onClose={onClose}
          detail={t.commentHint}
          onDone={(words) => {
            onChange(
              { kind: 'review', comment: words.trim() === '' ? null : words.trim() },
              dialog.runs,
            );
            onClose();
          }}
          needed={false}
        />
      );
  }
}

const about = (dialog: Extract<OpenDialog, { readonly runs: readonly number[] }>): string =>
  dialog.row
    ? t.jobOfCompany({ job: dialog.row.jobName, company: dialog.row.companyName })
    : t.resultCount({ count: dialog.runs.length });

interface WordsProps {
  readonly title: string;
  readonly label: string;
  readonly detail: string;
  readonly first: string;
  readonly confirmLabel: string;
  readonly needed: boolean;
  readonly onDone: (words: string) => void;
  readonly onClose: () => void;
}

function Words({ title, label, detail, first, confirmLabel, needed, onDone, onClose }: WordsProps) {
  const [words, setWords] = useState(first);
  const field = useRef<HTMLTextAreaElement>(null);
  const canSubmit = !needed || words.trim() !== '';
  return (
    <Dialog
      title={title}
      onClose={onClose}
      first={field}
      footer={
        <>
          <Button
            variant="primary"
            disabled={!canSubmit}
            onClick={() => onDone(words)}
            keycap="Ctrl Enter"
          >
            {confirmLabel}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {uiMessages.cancel}
          </Button>
        </>
      }
    >
      <label className="block px-5 py-4">
        <span className="block pb-1">{label}</span>
        <textarea
          ref={field}
          value={words}
          rows={4}
          maxLength={LIMITS.noteChars}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && canSubmit)
              onDone(words);
          }}
          className="block w-full resize-y rounded-part border border-control bg-sheet p-2"
        />
        <span className="block pt-1 text-agate text-ink-3">{detail}</span>
      </label>
    </Dialog>
  );
}

function Help({ canAct, onClose }: { readonly canAct: boolean; readonly onClose: () => void }) {
  return (
    <Dialog title={t.keyboardShortcuts} onClose={onClose}>
      <dl className="m-0 grid gap-x-8 px-5 py-3 phone:grid-cols-2 [&_kbd]:inline-block!">
        {HELP.filter((line) => canAct || !line.requiresActions).map(({ keys, does }) => (
          <div
            key={does}
            className="grid min-h-8 grid-cols-[66px_minmax(0,1fr)] items-center gap-2.5 border-b border-hair py-1"
          >
            <dt className="flex flex-wrap gap-1 whitespace-nowrap">
              {keys
                .map((one) => (MAC ? one : one.replace('⌘', t.controlKey)))
                .map((key) => (
                  <span key={key}>
                    <span className="sr-only">{key}</span>
                    <Kbd>{key}</Kbd>
                  </span>
                ))}
            </dt>
            <dd className="m-0">{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
