import { useEffect, useEffectEvent, useRef } from 'react';
import type { FormEvent } from 'react';
import { ticketCalls } from '#contract/tickets/calls.ts';
import type { TicketWhole } from '#contract/tickets/calls.ts';
import { SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatAge, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { STATES } from '#src/ui/states.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { SectionLink } from '../shared/section-link.tsx';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { TicketFields } from '../shared/ticket-fields/ticket-fields.tsx';
import type { TicketDraft } from '../shared/ticket-fields/ticket-fields.tsx';
import { getId } from '../shared/ids.ts';
import { TICKETS, ticketsPlace } from './address.ts';
import { TicketMark } from './mark.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { ticketMessages as t } from './messages.en.ts';

export interface TicketDetailsProps {
  readonly ticket: TicketWhole;
  readonly canAct: boolean;
  readonly offline: boolean;
  readonly zone: string;
  readonly now: Ms;
  readonly onSaved: (ticket: TicketWhole) => void;
  readonly onDelete: () => void;
}

/** Side panel of a ticket: content, status, and its problems. */
export function TicketDetails({
  ticket,
  canAct,
  offline,
  zone,
  now,
  onSaved,
  onDelete,
}: TicketDetailsProps) {
  const { _id: id, system, status, error, waiting, list, owner, priority } = ticket;
  const {
    form: draft,
    change,
    error: wrong,
    busy: isSaving,
    dirty,
    save: submit,
    refuse,
    reset,
  } = useDraftForm({
    initial: getDraft(ticket),
    offline,
    schema: makeTicketSchema(ticket),
    submit: (input) => client().ask('changeTicket', input),
    onSaved: (saved) => show(saved, t.saved),
  });
  const closing = useServerMutation();
  const busy = isSaving || closing.busy;
  const form = useCachedQuery(
    'getTicketForm',
    { company: String(ticket.company) },
    { wanted: canAct && !offline },
  ).value;
  // Another user changed the ticket: an unedited form takes the new values, an edited one keeps the
  // typed values.
  const seen = useRef(ticket);
  const takeOver = useEffectEvent((next: TicketWhole) => {
    if (Object.keys(getChanges(seen.current, draft)).length === 0) reset(getDraft(next));
    seen.current = next;
  });
  useEffect(() => {
    if (ticket.changedAt !== seen.current.changedAt) takeOver(ticket);
  }, [ticket]);
  const same = Object.keys(getChanges(ticket, draft)).length === 0;

  function show(saved: TicketWhole, text: string): void {
    reset(getDraft(saved));
    showSuccess(text);
    onSaved(saved);
  }
  async function setStatus(statusId: string, text: string): Promise<void> {
    refuse(null);
    const result = await closing.send(() => client().ask('changeTicket', { id, status: statusId }));
    if (result.ok) show(result.value, text);
    else refuse({ errors: {}, above: getFailureText(result.failure) });
  }
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (draft.subject.trim() !== '' && !same) void submit();
  };
  const other = form?.statuses.find(({ closed }) => closed !== status.closed);
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};

  return (
    <div className="min-h-0 grow overflow-auto px-4 pb-4 tablet:px-5">
      <p className="m-0 flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
        <TicketMark ticket={ticket} />
        {ticket.url !== null && (
          <a
            href={ticket.url}
            target="_blank"
            rel="noreferrer"
            className="inline-flex items-center gap-1 text-accent underline pointer-coarse:min-h-11"
          >
            {t.openIn({ system: SYSTEM_NAMES[system] })}
          </a>
        )}
      </p>
      {waiting && error !== null && (
        <div className="pb-3">
          <Callout tone="warning">
            {error} {t.retrying}
          </Callout>
        </div>
      )}
      {wrong !== null && (
        <div className="pb-3">
          <Callout tone="failed" alert>
            {wrong}
          </Callout>
        </div>
      )}
      {canAct ? (
        <form className="grid gap-4 border-t-2 border-head-rule pt-4" onSubmit={save}>
          <TicketFields
            draft={draft}
            form={form}
            closing
            error={draft.subject.trim() === '' ? t.subjectMissing : null}
            onChange={change}
          />
          <div className="flex flex-wrap gap-2">
            <Button
              type="submit"
              variant="primary"
              busy={isSaving}
              disabled={offline || same || draft.subject.trim() === ''}
              {...why}
            >
              {ui.save}
            </Button>
            {other && (
              <Button
                disabled={offline || busy}
                {...why}
                onClick={() => void setStatus(other.id, other.closed ? t.closedNow : t.reopened)}
              >
                {other.closed ? t.closeTicket : t.reopenTicket}
              </Button>
            )}
            <Button
              variant="quiet"
              className="ml-auto"
              disabled={offline || busy}
              {...why}
              onClick={onDelete}
            >
              {ui.delete}
            </Button>
          </div>
          <UnsavedQuestion
            dirty={dirty}
            leaves={(path, query) => path !== TICKETS || ticketsPlace(query).open !== id}
          />
        </form>
      ) : (
        <div className="grid gap-2 border-t-2 border-head-rule pt-3">
          <p className="m-0 break-words whitespace-pre-wrap">
            {ticket.description === '' ? (
              <span className="text-ink-3">{t.noDescription}</span>
            ) : (
              ticket.description
            )}
          </p>
          <p className="m-0 text-ink-2">
            {priority === null ? t.noPriority : t.priorityIs({ name: priority.name })}
            {' · '}
            {owner === null ? t.noOwner : t.ownerIs({ name: owner.name })}
          </p>
        </div>
      )}
      <h3 className="m-0 mt-5 border-t-2 border-head-rule pt-3 text-body font-semibold">
        {t.problemCount({ count: list.length })}
      </h3>
      {list.length === 0 && <p className="m-0 pt-1 text-ink-2">{t.noProblemsHint}</p>}
      <ul className="m-0 list-none p-0">
        {list.map((problem) => {
          const state = STATES[getState(problem.state)];
          return (
            <li key={problem.n} className="border-b border-hair py-2">
              <SectionLink
                href={`/monitoring/daily-checks?review=any&date=last-30&run=${problem.run}`}
                className="block min-w-0 font-semibold break-words text-accent underline pointer-coarse:min-h-11"
              >
                {problem.computer === '' ? problem.job : t.jobOnComputer(problem)}
              </SectionLink>
              <span className="flex flex-wrap items-center gap-x-2 text-ink-2">
                {problem.closedAt === null ? (
                  <span className={`inline-flex items-center gap-1.5 ${state.text}`}>
                    <Icon name={state.icon} />
                    {state.label}
                  </span>
                ) : (
                  <span className="inline-flex items-center gap-1.5 text-ink-3">
                    <Icon name="check" />
                    {t.problemEnded({ age: formatAge(problem.closedAt, now) })}
                  </span>
                )}
                <span className="min-w-0 break-words">{problem.cause}</span>
              </span>
              <span className="block text-agate text-ink-3">
                {t.resultsSince({
                  count: problem.runs,
                  when: formatWhen(problem.openedAt, zone),
                })}
              </span>
            </li>
          );
        })}
      </ul>
      <p className="m-0 pt-3 text-agate text-ink-3">
        {t.openedBy({ name: ticket.madeBy, when: formatWhen(ticket.madeAt, zone) })}{' '}
        {ticket.closedAt !== null &&
          CLOSED_BY[ticket.closedBy ?? 'person']({ when: formatWhen(ticket.closedAt, zone) })}
      </p>
    </div>
  );
}

const CLOSED_BY = {
  person: t.closedHere,
  system: t.closedInSystem,
  success: t.closedAfterSuccess,
  again: t.closedHere,
} as const;
const getDraft = ({ subject, description, status, priority, owner }: TicketWhole): TicketDraft => ({
  subject,
  description,
  status: status.id,
  priority: priority?.id ?? '',
  owner,
});
const getState = (word: string): keyof typeof STATES =>
  word in STATES ? (word as keyof typeof STATES) : 'Failed';

/** Returns only the changed values. */
function getChanges(ticket: TicketWhole, draft: TicketDraft) {
  return {
    ...(draft.subject.trim() !== ticket.subject && { subject: draft.subject.trim() }),
    ...(draft.description !== ticket.description && { description: draft.description }),
    ...(draft.status !== ticket.status.id && { status: draft.status }),
    ...(draft.priority !== (ticket.priority?.id ?? '') && {
      priority: draft.priority === '' ? null : draft.priority,
    }),
    ...(draft.owner?.id !== ticket.owner?.id && { owner: draft.owner }),
  };
}

const makeTicketSchema = (ticket: TicketWhole) =>
  makeFormSchema(ticketCalls.changeTicket.input, (draft: TicketDraft) => ({
    value: { id: getId(ticket), ...getChanges(ticket, draft) },
  }));
