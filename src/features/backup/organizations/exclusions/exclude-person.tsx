import { useState } from 'react';
import type { InputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { richText } from '#src/ui/rich-text.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { formMessages } from '../../../shared/forms/messages.en.ts';
import { useSearchQuery } from '../../../shared/queries/use-search-query.ts';
import { exclusionMessages as t } from './messages.en.ts';
import { DirectoryPicker } from '../directory-picker.tsx';

interface Draft {
  readonly person: { readonly id: string; readonly name: string } | null;
  readonly reason: string;
  readonly typed: string;
}

/** Excludes a person. Because nothing brings the backups back, the name has to be typed. */
export function ExcludePerson({
  organizationId,
  onExcluded,
  onClose,
}: {
  readonly organizationId: string;
  readonly onExcluded: () => void;
  readonly onClose: () => void;
}) {
  const { form, change, errors, error, busy, formRef, save } = useDraftForm<
    Draft,
    InputOf<'excludePerson'>,
    unknown
  >({
    initial: { person: null, reason: '', typed: '' },
    schema: makeReadingSchema((draft) => readDraft(draft, organizationId)),
    submit: (input) => withReauth(() => client().ask('excludePerson', input)),
    onSaved: onExcluded,
  });
  const [search, setSearch] = useState('');
  const { value, failure, isLoading } = useSearchQuery('listPeopleToExclude', {
    organizationId,
    ...(search.trim() !== '' && { search: search.trim() }),
  });
  const { person } = form;
  return (
    <FormDialog
      title={t.exclude}
      submitLabel={t.exclude}
      isIrreversible
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
      onClose={onClose}
    >
      <DirectoryPicker
        label={t.person}
        placeholder={t.searchByName}
        error={errors['person'] ?? null}
        chosen={person && t.chosen({ name: person.name })}
        found={value ?? []}
        failure={isLoading ? null : failure}
        onType={setSearch}
        onChoose={({ id, name, address }) =>
          change({ person: { id, name: name.trim() || address }, typed: '' })
        }
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
      {person !== null && (
        <>
          <Callout tone="warning">
            {t.removes({ name: person.name })} {t.irreversible} {t.others}
          </Callout>
          <TextField
            label={t.confirmName}
            required
            value={form.typed}
            autoComplete="off"
            spellCheck={false}
            hint={richText(formMessages.typeExactly, {
              text: <b className="select-all">{person.name}</b>,
            })}
            error={errors['typed'] ?? null}
            onChange={({ target }) => change({ typed: target.value })}
          />
        </>
      )}
    </FormDialog>
  );
}

function readDraft(
  { person, reason, typed }: Draft,
  organizationId: string,
): {
  readonly value: InputOf<'excludePerson'> | null;
  readonly errors: Readonly<Record<string, string | null>>;
} {
  const errors = {
    person: person === null ? t.nothingChosen : null,
    reason: reason.trim() === '' ? t.reasonNeeded : null,
    typed: person === null || typed.trim() === person.name ? null : t.nameDiffers,
  };
  return person === null
    ? { value: null, errors }
    : { value: { organizationId, objectId: person.id, reason: reason.trim() }, errors };
}
