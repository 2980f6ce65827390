import { useRef, useState } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
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
  const [ticket, setTicket] = useState(before);
  const field = useRef<HTMLInputElement>(null);
  const canSubmit = ticket.trim() !== '' || before !== '';
  return (
    <Dialog
      title={title}
      onClose={onClose}
      first={field}
      footer={
        <>
          <Button variant="primary" disabled={!canSubmit} onClick={() => onDone(ticket.trim())}>
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
        className="px-5 py-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (canSubmit) onDone(ticket.trim());
        }}
      >
        {description !== null && <p className="m-0 pb-3 text-ink-2">{description}</p>}
        <label className="block">
          <span className="block pb-1">{t.ticketNumber}</span>
          <input
            ref={field}
            value={ticket}
            maxLength={LIMITS.ticketChars}
            autoComplete="off"
            onChange={(event) => setTicket(event.target.value)}
            className="h-8 w-full rounded-part border border-control bg-sheet px-2 pointer-coarse:h-11"
          />
          <span className="block pt-1 text-agate text-ink-3">{t.ticketNumberHint}</span>
        </label>
      </form>
    </Dialog>
  );
}
