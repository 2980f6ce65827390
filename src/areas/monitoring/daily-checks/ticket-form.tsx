import { useRef, useState } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';

interface TicketFormProps {
  readonly title: string;
  readonly before: string;
  /** Empty: the tie is taken away. */
  readonly onDone: (ticket: string) => void;
  readonly onClose: () => void;
}

/** Ties problems to a ticket of the provider's ticketing, by its number. */
export function TicketForm({ title, before, onDone, onClose }: TicketFormProps) {
  const [ticket, setTicket] = useState(before);
  const field = useRef<HTMLInputElement>(null);
  const can = ticket.trim() !== '' || before !== '';
  return (
    <Dialog
      title={title} onClose={onClose} first={field}
      footer={(
        <>
          <Button variant="primary" disabled={!can} onClick={() => onDone(ticket.trim())}>{ticket.trim() === '' && before !== '' ? 'Take the ticket away' : 'Tie to this ticket'}</Button>
          <Button variant="quiet" onClick={onClose}>Cancel</Button>
        </>
      )}
    >
      <form className="px-5 py-4" onSubmit={(event) => { event.preventDefault(); if (can) onDone(ticket.trim()); }}>
        <label className="block">
          <span className="block pb-1">Ticket number</span>
          <input
            ref={field} value={ticket} maxLength={LIMITS.ticketChars} autoComplete="off" onChange={(event) => setTicket(event.target.value)}
            className="h-8 w-full rounded-part border border-control bg-sheet px-2 pointer-coarse:h-11"
          />
          <span className="block pt-1 text-agate text-ink-3">It stays with the problem, so that tomorrow's same failure shows it again.</span>
        </label>
      </form>
    </Dialog>
  );
}
