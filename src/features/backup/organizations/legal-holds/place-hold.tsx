import { useState } from 'react';
import { HOLD_KINDS, type HoldKind } from '#contract/backup/legal-holds.ts';
import type { InputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { Select } from '#src/ui/select.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { addDays, isDay, firstMomentOfDay } from '../../../shared/date-range/dates.ts';
import { useSearchQuery } from '../../../shared/queries/use-search-query.ts';
import { legalHoldMessages as t } from './messages.en.ts';
import { DirectoryPicker } from '../directory-picker.tsx';

interface Draft {
  readonly kind: HoldKind;
  readonly object: { readonly id: string; readonly name: string } | null;
  readonly reason: string;
  readonly day: string;
}

const CALLS = {
  user: 'listOrganizationUsers',
  site: 'listOrganizationSites',
  team: 'listOrganizationTeams',
} as const satisfies Record<HoldKind, string>;

/** Places a legal hold on a person, a site or a team. */
export function PlaceHold({
  organizationId,
  now,
  zone,
  onPlaced,
  onClose,
}: {
  readonly organizationId: string;
  readonly now: Ms;
  readonly zone: string;
  readonly onPlaced: () => void;
  readonly onClose: () => void;
}) {
  const { form, change, errors, error, busy, formRef, save } = useDraftForm<
    Draft,
    InputOf<'placeLegalHold'>,
    unknown
  >({
    initial: { kind: 'user', object: null, reason: '', day: '' },
    schema: makeReadingSchema((draft) => readDraft(draft, { organizationId, now, zone })),
    submit: (input) => withReauth(() => client().ask('placeLegalHold', input)),
    onSaved: onPlaced,
  });
  const [typed, setTyped] = useState('');
  const { value, failure, isLoading } = useSearchQuery(CALLS[form.kind], {
    organizationId,
    limit: '50',
    ...(typed.trim() !== '' && { search: typed.trim() }),
  });
  return (
    <FormDialog
      title={t.place}
      submitLabel={t.place}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
      onClose={onClose}
    >
      <Select
        block
        label={t.kind}
        value={form.kind}
        options={HOLD_KINDS.map((kind) => ({ value: kind, label: t[kind] }))}
        hint={t[`${form.kind}Covers`]}
        onChange={(kind) => change({ kind, object: null })}
      />
      <DirectoryPicker
        label={t.name}
        placeholder={t.searchByName}
        error={errors['object'] ?? null}
        chosen={form.object && t.chosen({ name: form.object.name })}
        found={value?.rows ?? []}
        failure={isLoading ? null : failure}
        onType={setTyped}
        onChoose={({ id, name }) => change({ object: { id, name } })}
      />
      <TextArea
        label={t.reason}
        hint={t.reasonHint}
        required
        value={form.reason}
        maxLength={LIMITS.noteChars}
        error={errors['reason'] ?? null}
        onChange={({ target }) => change({ reason: target.value })}
      />
      <TextField
        type="date"
        label={t.until}
        hint={t.untilHint}
        value={form.day}
        error={errors['until'] ?? null}
        onChange={({ target }) => change({ day: target.value })}
      />
    </FormDialog>
  );
}

function readDraft(
  { kind, object, reason, day }: Draft,
  { organizationId, now, zone }: { organizationId: string; now: Ms; zone: string },
): {
  readonly value: InputOf<'placeLegalHold'> | null;
  readonly errors: Readonly<Record<string, string | null>>;
} {
  const until =
    day === ''
      ? null
      : isDay(day)
        ? firstMomentOfDay(addDays(day, 1), { zone, hour: 0 })
        : Number.NaN;
  const errors = {
    object: object === null ? t.nothingChosen : null,
    reason: reason.trim() === '' ? t.reasonNeeded : null,
    until: until === null || until > now ? null : t.untilInvalid,
  };
  return object === null
    ? { value: null, errors }
    : {
        value: { organizationId, kind, objectId: object.id, reason: reason.trim(), until },
        errors,
      };
}
