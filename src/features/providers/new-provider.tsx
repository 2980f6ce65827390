import { LIMITS } from '#contract/limits.ts';
import { providerCalls } from '#contract/providers/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { readServerErrors } from '#src/ui/form-errors.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Callout } from '#src/ui/callout.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { hostsIn } from './host-names.ts';
import { adminProvidersMessages as t } from './messages.en.ts';

const WORDS = {
  'name': t.nameMissing,
  'hosts': t.hostsNotValid,
  'administrator.username': t.usernameNotValid,
  'administrator.name': t.personMissing,
  'administrator.email': t.emailNotValid,
};
const HOST_EXAMPLE = 'backup.example.com';
const EMPTY = { name: '', hosts: '', username: '', person: '', email: '' };
const schema = makeFormSchema(
  providerCalls.createProvider.input,
  ({ name, hosts, username, person, email }: typeof EMPTY) => ({
    value: {
      name,
      hosts: [...hostsIn(hosts)],
      administrator: { username, name: person, email },
    },
  }),
  WORDS,
);

/** Form for a provider below this one: name, host names and first user. */
export function NewProvider({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: () => void;
}) {
  const { form, change, errors, error, busy, dirty, formRef, save } = useDraftForm({
    initial: EMPTY,
    schema,
    submit: (input) => withReauth(() => client().ask('createProvider', input)),
    explain: (failure) =>
      failure.kind === 'conflict'
        ? { errors: { hosts: failure.message }, above: null }
        : readServerErrors(failure, WORDS),
    onSaved: ({ name }, { administrator }) => {
      showSuccess(t.providerCreated({ name, email: administrator.email.trim() }));
      onMade();
    },
  });
  const field = (name: keyof typeof EMPTY, path: string) => ({
    value: form[name],
    error: findErrorAt(errors, path),
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      change({ [name]: target.value }),
  });

  return (
    <FormDialog
      dirty={dirty}
      title={t.newProvider}
      onClose={onClose}
      submitLabel={t.createProvider}
      busy={busy}
      formRef={formRef}
      onSubmit={save}
    >
      <RequiredNote />
      <TextField
        {...field('name', 'name')}
        label={t.name}
        required
        maxLength={LIMITS.nameChars}
        hint={t.nameHint}
      />
      <TextArea
        {...field('hosts', 'hosts')}
        label={t.hostNames}
        required
        mono
        rows={2}
        spellCheck={false}
        autoCapitalize="none"
        placeholder={HOST_EXAMPLE}
        hint={t.newHostsHint}
      />
      <fieldset className="m-0 grid min-w-0 gap-4 border-0 border-t border-hair p-0 pt-4">
        <legend className="sr-only">{t.firstAdministrator}</legend>
        <p className="m-0 text-ink-2">{t.firstAdministratorHint}</p>
        <TextField
          {...field('person', 'administrator.name')}
          label={t.administratorName}
          required
          maxLength={LIMITS.nameChars}
          autoComplete="off"
        />
        <TextField
          {...field('username', 'administrator.username')}
          label={t.username}
          required
          maxLength={LIMITS.nameChars}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextField
          {...field('email', 'administrator.email')}
          label={t.email}
          required
          type="email"
          maxLength={254}
          autoComplete="off"
          autoCapitalize="none"
        />
      </fieldset>
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
    </FormDialog>
  );
}

/** Returns the error of the field, or of one of its lines. */
const findErrorAt = (errors: FormErrors, path: string): string | null =>
  Object.entries(errors).find(([at]) => at === path || at.startsWith(`${path}.`))?.[1] ?? null;
