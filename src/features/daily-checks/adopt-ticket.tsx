import { useRef } from 'react';
import { ticketCalls } from '#contract/tickets/calls.ts';
import { SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import type { TicketSystem } from '#contract/tickets/tickets.ts';
import type { RunN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { dailyChecksMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

interface AdoptTicketProps {
  readonly title: string;
  readonly runs: readonly RunN[];
  readonly system: TicketSystem;
  /** Creates a new ticket instead. */
  readonly onNew: () => void;
  readonly onClose: () => void;
}

/**
 * TICKET-10: links the problems of the selected results to an existing ticket of the connected
 * system, by its number or the address of its page.
 */
export function AdoptTicket({ title, runs, system, onNew, onClose }: AdoptTicketProps) {
  const field = useRef<HTMLInputElement>(null);
  const name = SYSTEM_NAMES[system];
  const {
    form: { ticket },
    change,
    error,
    busy,
    save,
  } = useDraftForm({
    initial: { ticket: '' },
    schema: makeSchema(runs),
    submit: (input) => client().ask('linkTicket', input),
    onSaved: ({ number }) => {
      showSuccess(t.ticketLinked({ number }));
      onClose();
    },
  });
  const canSubmit = ticket.trim() !== '' && !busy;

  return (
    <Dialog
      title={title}
      onClose={onClose}
      first={field}
      footer={
        <>
          <Button variant="primary" busy={busy} disabled={!canSubmit} onClick={() => void save()}>
            {t.linkThisTicket}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {uiMessages.cancel}
          </Button>
          <Button variant="quiet" className="ml-auto" onClick={onNew}>
            {t.openTicketInstead}
          </Button>
        </>
      }
    >
      <form
        className="grid grid-cols-1 gap-4 px-5 py-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (canSubmit) void save();
        }}
      >
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
        <TextField
          ref={field}
          label={t.ticketToLink({ system: name })}
          required
          value={ticket}
          maxLength={2_000}
          autoComplete="off"
          onChange={({ target }) => change({ ticket: target.value })}
        />
        <p className="m-0 text-agate text-ink-3">{t.followTicketHint({ system: name })}</p>
      </form>
    </Dialog>
  );
}

const makeSchema = (runs: readonly RunN[]) =>
  makeFormSchema(ticketCalls.linkTicket.input, ({ ticket }: { readonly ticket: string }) => ({
    value: { runs: [...runs].slice(0, LIMITS.ticketProblems), ticket: ticket.trim() },
  }));
