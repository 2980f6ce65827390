import { useRef, useState } from 'react';
import { ticketCalls } from '#contract/tickets/calls.ts';
import type { TicketFormOut } from '#contract/tickets/calls.ts';
import type { RunN } from '#contract/ids.ts';
import { SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import { MESSAGES } from '#contract/messages.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import type { RunView } from '#contract/runs/query.ts';
import type { LinkedTicket } from '#contract/runs/rows.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { SectionLink } from '../shared/section-link.tsx';
import { ticketAddress } from '../shared/page-links/tickets.ts';
import { TicketFields } from '../shared/ticket-fields/ticket-fields.tsx';
import type { TicketDraft } from '../shared/ticket-fields/ticket-fields.tsx';
import { getDescription, getSubject } from '../shared/ticket-fields/defaults.ts';
import { AdoptTicket } from './adopt-ticket.tsx';
import { TicketForm } from './ticket-form.tsx';
import { dailyChecksMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

export interface TicketDialogProps {
  readonly title: string;
  readonly runs: readonly RunN[];
  readonly row: RunView | null;
  /** Sets the number of a ticket in another system; null removes it. */
  readonly onNamed: (ticket: string | null) => void;
  readonly onClose: () => void;
}

/**
 * Ticket of the results (TICKET-9): the existing one, a new one, or, without a connected ticketing
 * system or offline, the number of a ticket in another system.
 */
export function TicketDialog(props: TicketDialogProps) {
  const { title, runs, row, onNamed, onClose } = props;
  const before = row?.problem?.ticket ?? '';
  const linkedTicket = row?.problem?.linkedTicket ?? null;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const request = useCachedQuery(
    'getTicketForm',
    { run: String(runs[0] ?? 0) },
    { wanted: linkedTicket === null && !offline },
  );
  const [named, setNamed] = useState(before !== '');
  const [taking, setTaking] = useState(false);
  const form = request.value;
  const own = form === null || form.system === 'own';

  if (linkedTicket !== null)
    return <TicketShown {...props} number={before} linkedTicket={linkedTicket} />;
  if (offline || request.failure !== null || (own && named)) {
    return (
      <TicketForm
        title={title}
        before={before}
        onClose={onClose}
        description={offline ? t.offlineTicketHint : null}
        onNew={form === null || offline ? null : () => setNamed(false)}
        onDone={(ticket) => {
          if (ticket !== before) onNamed(ticket === '' ? null : ticket);
          onClose();
        }}
      />
    );
  }
  if (form === null)
    return (
      <Dialog title={title} onClose={onClose}>
        <div className="min-h-40">
          <DelayedFallback>
            <p className="m-0 px-5 py-4 text-ink-2">{t.loadingTicket}</p>
          </DelayedFallback>
        </div>
      </Dialog>
    );
  if (taking)
    return (
      <AdoptTicket
        title={title}
        runs={runs}
        system={form.system}
        onNew={() => setTaking(false)}
        onClose={onClose}
      />
    );
  return <NewTicket {...props} form={form} onOther={() => (own ? setNamed : setTaking)(true)} />;
}

function TicketShown({
  title,
  number,
  linkedTicket,
  onNamed,
  onClose,
}: TicketDialogProps & { readonly number: string; readonly linkedTicket: LinkedTicket }) {
  const canOpenTickets = useAbility('monitoring.tickets');
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button variant="primary" onClick={onClose}>
            {uiMessages.done}
          </Button>
          <Button
            variant="quiet"
            onClick={() => {
              onNamed(null);
              onClose();
            }}
          >
            {t.unlinkTicket}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-2 px-5 py-4">
        <p className="m-0 flex flex-wrap items-center gap-x-3">
          <b className="min-w-0 break-words">{number}</b>
          <span
            className={`inline-flex items-center gap-1.5 ${linkedTicket.open ? 'text-running' : 'text-success'}`}
          >
            <Icon name={linkedTicket.open ? 'ticket' : 'success'} />
            {linkedTicket.open ? t.open : t.closed}
          </span>
        </p>
        {canOpenTickets && (
          <SectionLink
            href={ticketAddress(linkedTicket.id)}
            className="text-accent underline pointer-coarse:min-h-11"
          >
            {t.showTicket}
          </SectionLink>
        )}
        {linkedTicket.url !== null && (
          <a
            href={linkedTicket.url}
            target="_blank"
            rel="noreferrer"
            className="text-accent underline pointer-coarse:min-h-11"
          >
            {t.openInTicketing}
          </a>
        )}
        <p className="m-0 text-ink-2">
          {linkedTicket.open ? t.openTicketHint : t.closedTicketHint}
        </p>
      </div>
    </Dialog>
  );
}

/** `onOther`: links an existing ticket instead. */
function NewTicket({
  title,
  runs,
  row,
  form,
  onOther,
  onClose,
}: TicketDialogProps & { readonly form: TicketFormOut; readonly onOther: () => void }) {
  const first = useRef<HTMLInputElement>(null);
  const {
    form: draft,
    change,
    error,
    busy,
    save,
  } = useDraftForm({
    initial: {
      subject: getSubject(row, runs.length),
      description: getDescription(row),
      status: form.statuses.find(({ closed }) => !closed)?.id ?? '',
      priority: form.priority ?? '',
      owner: form.owner,
    },
    schema: makeTicketSchema(runs),
    submit: async (input): Promise<Result<readonly OpenedTicket[]>> => {
      if (!several) {
        const made = await client().ask('createTicket', input);
        return made.ok ? ok([made.value]) : made;
      }
      const made = await client().ask('createTickets', input);
      return made.ok ? ok(made.value.tickets) : made;
    },
    onSaved: (tickets) => {
      showSuccess(getOpenedTicket(tickets, form.system));
      onClose();
    },
  });
  // The server found that they belong to several companies.
  const several = error === MESSAGES.ticketOneCompany;
  const canMapCompanies = useAbility('common.companies');
  const canSubmit = form.blocked === null && draft.subject.trim() !== '' && !busy;

  return (
    <Dialog
      title={title}
      onClose={onClose}
      first={first}
      footer={
        <>
          <Button variant="primary" busy={busy} disabled={!canSubmit} onClick={() => void save()}>
            {several ? t.openTicketPerCompany : t.openTicket}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {uiMessages.cancel}
          </Button>
          <Button variant="quiet" className="ml-auto" onClick={onOther}>
            {t.linkExistingTicket}
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
        {form.blocked !== null && (
          <Callout tone="warning">
            {form.blocked}{' '}
            {canMapCompanies && (
              <SectionLink href="/monitoring/ticketing" className="text-accent underline">
                {t.ticketing}
              </SectionLink>
            )}
          </Callout>
        )}
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
        <TicketFields
          draft={draft}
          form={form}
          first={first}
          closing={false}
          error={draft.subject.trim() === '' ? t.subjectMissing : null}
          onChange={change}
        />
        <p className="m-0 text-agate text-ink-3">
          {form.system === 'own'
            ? t.openTicketLocally({ count: runs.length })
            : form.remoteCompany === null
              ? t.openTicketIn({ count: runs.length, system: SYSTEM_NAMES[form.system] })
              : t.openTicketForCompany({
                  count: runs.length,
                  system: SYSTEM_NAMES[form.system],
                  company: form.remoteCompany,
                })}{' '}
          {t.newResultsUseTicket}
        </p>
      </form>
    </Dialog>
  );
}

function getOpenedTicket(
  tickets: readonly OpenedTicket[],
  system: TicketFormOut['system'],
): string {
  const isQueued = tickets.some(({ waiting }) => waiting);
  const count = tickets.length;
  const number = tickets[0]?.number ?? '';
  if (isQueued)
    return count === 1
      ? t.ticketQueued({ number, system: SYSTEM_NAMES[system] })
      : t.ticketsQueued({ count, system: SYSTEM_NAMES[system] });
  return count === 1 ? t.ticketOpened({ number }) : t.ticketsOpened({ count });
}

/** Maximum number of results in a ticket. */
const MAX_RUNS = 500;
const EMPTY = {};

interface OpenedTicket {
  readonly number: string;
  readonly waiting: boolean;
}
const makeTicketSchema = (runs: readonly RunN[]) =>
  makeFormSchema(
    ticketCalls.createTicket.input,
    ({ subject, description, status, priority, owner }: TicketDraft) => ({
      value: {
        runs: [...runs].slice(0, MAX_RUNS),
        subject: subject.trim(),
        description,
        priority: priority === '' ? null : priority,
        ...(status !== '' && { status }),
        ...(owner !== null && { owner }),
      },
    }),
  );
