import { useRef, useState } from 'react';
import { SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import type { TicketSystem } from '#contract/tickets/tickets.ts';
import type { RunN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { tell } from '#src/ui/toasts.ts';
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
  const [ticket, setTicket] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const name = SYSTEM_NAMES[system];
  const canSubmit = ticket.trim() !== '' && !busy;

  async function take(): Promise<void> {
    if (!canSubmit) return;
    setBusy(true);
    setError(null);
    const result = await client().ask('adoptTicket', {
      runs: [...runs].slice(0, LIMITS.ticketProblems),
      ticket: ticket.trim(),
    });
    setBusy(false);
    if (!result.ok) return setError(getFailureText(result.failure));
    tell(t.ticketLinked({ number: result.value.number }));
    onClose();
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      first={field}
      footer={
        <>
          <Button variant="primary" busy={busy} disabled={!canSubmit} onClick={() => void take()}>
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
          void take();
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
          onChange={({ target }) => setTicket(target.value)}
        />
        <p className="m-0 text-agate text-ink-3">{t.followTicketHint({ system: name })}</p>
      </form>
    </Dialog>
  );
}
