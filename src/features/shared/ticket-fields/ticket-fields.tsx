import type { RefObject } from 'react';
import type { TicketFormOut } from '#contract/tickets/calls.ts';
import type { Named } from '#contract/tickets/tickets.ts';
import { LIMITS } from '#contract/limits.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { ticketFieldMessages as t } from './messages.en.ts';

export interface TicketDraft {
  readonly subject: string;
  readonly description: string;
  readonly status: string;
  readonly priority: string;
  readonly owner: Named | null;
}

export interface TicketFieldsProps {
  readonly draft: TicketDraft;
  readonly form: TicketFormOut | null;
  /** Includes closed statuses; a new ticket cannot be closed. */
  readonly closing: boolean;
  readonly error: string | null;
  /** The subject field, for the initial focus of a dialog. */
  readonly first?: RefObject<HTMLInputElement | null>;
  readonly onChange: (next: Partial<TicketDraft>) => void;
}

const NOBODY = '-';

/** Fields of a ticket, with the options of its system. */
export function TicketFields({ draft, form, closing, error, first, onChange }: TicketFieldsProps) {
  const statuses = (form?.statuses ?? []).filter(({ closed }) => closing || !closed);
  const system = form?.system ?? 'own';
  const members = useCachedQuery('connectwiseMembers', MEMBERS, {
    wanted: system === 'connectwise',
  });
  const resources = useCachedQuery('autotaskResources', MEMBERS, { wanted: system === 'autotask' });
  const people =
    system === 'own'
      ? (form?.people ?? [])
      : ((system === 'connectwise' ? members : resources).value?.rows ?? []);
  // An owner who is no longer in the list stays selected until another is chosen.
  const owners =
    draft.owner === null || people.some(({ id }) => id === draft.owner?.id)
      ? people
      : [draft.owner, ...people];
  return (
    <>
      <RequiredNote />
      <TextField
        label={t.subject}
        required
        {...(first && { ref: first })}
        value={draft.subject}
        maxLength={LIMITS.subjectChars}
        error={error}
        onChange={({ target }) => onChange({ subject: target.value })}
      />
      <TextArea
        label={t.description}
        rows={5}
        value={draft.description}
        maxLength={LIMITS.descriptionChars}
        onChange={({ target }) => onChange({ description: target.value })}
      />
      <div className="grid items-start gap-4 tablet:grid-cols-2">
        {statuses.length > 0 && (
          <Select
            block
            label={t.status}
            value={draft.status}
            options={statuses.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(status) => onChange({ status })}
          />
        )}
        {(form?.priorities.length ?? 0) > 0 && (
          <Select
            block
            label={t.priority}
            value={draft.priority}
            options={[
              { value: '', label: t.noPriorityOption },
              ...(form?.priorities ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(priority) => onChange({ priority })}
          />
        )}
        {form !== null && (
          <Select
            block
            label={t.owner}
            value={draft.owner?.id ?? NOBODY}
            options={[
              { value: NOBODY, label: t.nobody },
              ...owners.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(id) =>
              onChange({
                owner:
                  owners
                    .map((one) => ({ id: one.id, name: one.name }))
                    .find((one) => one.id === id) ?? null,
              })
            }
          />
        )}
      </div>
    </>
  );
}

const MEMBERS = { pageSize: '200' };
