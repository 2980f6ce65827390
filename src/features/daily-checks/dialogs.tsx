import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { ok } from '#contract/result.ts';
import { ChangeSchema } from '#contract/runs/change.ts';
import type { Change } from '#contract/runs/change.ts';
import type { RunsFacets } from '#contract/runs/query.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { Kbd } from '#src/ui/kbd.tsx';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { TextDialog } from '#src/features/shared/forms/text-dialog.tsx';
import type { TextDraft } from '#src/features/shared/forms/text-dialog.tsx';
import type { OpenDialog } from './open-dialog.ts';
import { ColumnsDialog } from './columns-dialog.tsx';
import { Facets, FacetsHead } from './facets.tsx';
import { HELP } from './help.ts';
import { MAC } from './keyboard-shortcuts.ts';
import type { RunListState } from '../shared/runs/list-state.ts';
import { SnoozeForm } from './snooze-form.tsx';
import { TicketDialog } from './ticket-dialog.tsx';
import type { ColumnChoice } from './use-columns.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

export interface DialogsProps {
  readonly dialog: OpenDialog;
  readonly list: RunListState;
  readonly facets: RunsFacets | undefined;
  readonly total: number;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly canAct: boolean;
  readonly choice: ColumnChoice;
  readonly onList: (next: RunListState, at?: number) => void;
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
        <TextDialog
          title={t.noteTitle({ subject: about(dialog) })}
          label={t.note}
          hint={t.noteHint}
          initial={before}
          submitLabel={t.saveNote}
          required={before === ''}
          maxLength={LIMITS.noteChars}
          schema={before === '' ? NEW_NOTE : NOTE}
          submit={(change) => Promise.resolve(ok(change))}
          onSaved={(change) => {
            if (change.kind === 'note' && (change.content ?? '') !== before)
              onChange(change, dialog.runs);
            onClose();
          }}
          onClose={onClose}
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
        <TextDialog
          title={t.reviewTitle({ subject: about(dialog) })}
          label={t.comment}
          hint={t.commentHint}
          initial=""
          submitLabel={t.review}
          maxLength={LIMITS.noteChars}
          schema={REVIEW}
          submit={(change) => Promise.resolve(ok(change))}
          onSaved={(change) => {
            onChange(change, dialog.runs);
            onClose();
          }}
          onClose={onClose}
        />
      );
  }
}

const about = (dialog: Extract<OpenDialog, { readonly runs: readonly number[] }>): string =>
  dialog.row
    ? t.jobOfCompany({ job: dialog.row.jobName, company: dialog.row.companyName })
    : t.resultCount({ count: dialog.runs.length });

/** Reads the text of a dialog as a change. `missing`: the error without a text; null: none. */
const makeChangeSchema = (getChange: (text: string) => Change, missing: string | null) =>
  makeFormSchema(ChangeSchema, ({ text }: TextDraft) => ({
    value: getChange(text.trim()),
    errors: { text: text.trim() === '' ? missing : null },
  }));

const toNote = (text: string): Change => ({ kind: 'note', content: text === '' ? null : text });
const NOTE = makeChangeSchema(toNote, null);
const NEW_NOTE = makeChangeSchema(toNote, t.noteMissing);
const REVIEW = makeChangeSchema(
  (text) => ({ kind: 'review', comment: text === '' ? null : text }),
  null,
);

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
