import { useRef } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { ok } from '#contract/result.ts';
import { ChangeSchema } from '#contract/runs/change.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { dailyChecksMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

interface TicketFormProps {
  readonly title: string;
  readonly before: string;
  /** A sentence above the form. */
  readonly description: string | null;
  /** Creates a ticket instead; null if that is not possible now. */
  readonly onNew: (() => void) | null;
  /** Empty: removes the link. */
  readonly onDone: (ticket: string) => void;
  readonly onClose: () => void;
}

/** Links problems to a ticket of the ticketing system by its number. */
export function TicketForm({
  title,
  before,
  description,
  onNew,
  onDone,
  onClose,
}: TicketFormProps) {
  const field = useRef<HTMLInputElement>(null);
  const {
    form: { ticket },
    change,
    errors,
    busy,
    formRef,
    save,
  } = useDraftForm({
    initial: { ticket: before },
    schema: makeSchema(before !== ''),
    submit: (_, draft) => Promise.resolve(ok(draft.ticket.trim())),
    onSaved: onDone,
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      first={field}
      footer={
        <>
          <Button variant="primary" busy={busy} onClick={() => void save()}>
            {ticket.trim() === '' && before !== '' ? t.unlinkTicket : t.linkThisTicket}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {uiMessages.cancel}
          </Button>
          {onNew && (
            <Button variant="quiet" className="ml-auto" onClick={onNew}>
              {t.openTicketInstead}
            </Button>
          )}
        </>
      }
    >
      <form
        ref={formRef}
        noValidate
        className="grid grid-cols-1 gap-3 px-5 py-4"
        onSubmit={(event) => void save(event)}
      >
        {description !== null && <p className="m-0 text-ink-2">{description}</p>}
        <TextField
          ref={field}
          label={t.ticketNumber}
          required={before === ''}
          value={ticket}
          maxLength={LIMITS.ticketChars}
          autoComplete="off"
          hint={t.ticketNumberHint}
          error={errors['ticket'] ?? null}
          onChange={({ target }) => change({ ticket: target.value })}
        />
      </form>
    </Dialog>
  );
}

/** `isLinked`: an empty number removes the link. */
const makeSchema = (isLinked: boolean) =>
  makeFormSchema(
    ChangeSchema,
    ({ ticket }: { readonly ticket: string }) => ({
      value: {
        kind: 'ticket' as const,
        ticket: isLinked && ticket.trim() === '' ? null : ticket.trim(),
      },
    }),
    { ticket: t.ticketMissing },
  );
