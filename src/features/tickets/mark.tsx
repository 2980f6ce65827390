import type { TicketOut } from '#contract/tickets/calls.ts';
import { Icon } from '#src/ui/icon.tsx';
import { ticketMessages as t } from './messages.en.ts';

/**
 * Status of a ticket as icon, word and color, with a note if it is not in the ticketing system yet.
 */
export function TicketMark({
  ticket: { status, waiting, error },
}: {
  readonly ticket: Pick<TicketOut, 'status' | 'waiting' | 'error'>;
}) {
  return (
    <span className="inline-flex max-w-full min-w-0 flex-wrap items-center gap-x-2 align-middle">
      <span
        className={`inline-flex min-w-0 items-center gap-1.5 ${status.closed ? 'text-success' : 'text-running'}`}
      >
        <Icon name={status.closed ? 'success' : 'ticket'} />
        <span className="truncate" data-tip={status.name}>
          {status.name}
        </span>
      </span>
      {waiting && (
        <span
          className={`inline-flex items-center gap-1 text-agate whitespace-nowrap ${error === null ? 'text-ink-3' : 'text-warning'}`}
        >
          <Icon name={error === null ? 'cloud' : 'warning'} size={12} />
          {error === null ? t.sending : t.notSent}
        </span>
      )}
    </span>
  );
}
