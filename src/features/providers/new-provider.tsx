import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { providerCalls } from '#contract/providers/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { findFormErrors, focusFirstError, readServerErrors } from '#src/ui/form-errors.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Callout } from '#src/ui/callout.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { tell } from '#src/ui/toasts.ts';
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

/** Form for a provider below this one: name, host names and first user. */
export function NewProvider({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: () => void;
}) {
  const [typed, setTyped] = useState(EMPTY);
  const [errors, setErrors] = useState<FormErrors>({});
  const [above, setAbove] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const field = (name: keyof typeof EMPTY, path: string) => ({
    value: typed[name],
    error: findErrorAt(errors, path),
    onChange: (event: { readonly target: { readonly value: string } }) => {
      setTyped({ ...typed, [name]: event.target.value });
      setErrors(without(errors, path));
    },
  });

  async function save(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    const input = {
      name: typed.name,
      hosts: [...hostsIn(typed.hosts)],
      administrator: { username: typed.username, name: typed.person, email: typed.email },
    };
    const wrong = findFormErrors(providerCalls.createProvider.input, input, WORDS);
    setAbove(null);
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) {
      focusFirstError(form.current);
      return;
    }
    setBusy(true);
    const made = await withReauth(() => client().ask('createProvider', input));
    setBusy(false);
    if (made.ok) {
      tell(t.providerCreated({ name: made.value.name, email: typed.email.trim() }));
      onMade();
      return;
    }
    const refusal =
      made.failure.kind === 'conflict'
        ? { errors: { hosts: made.failure.message }, above: null }
        : readServerErrors(made.failure, WORDS);
    setAbove(refusal.above);
    setErrors(refusal.errors);
    focusFirstError(form.current);
  }

  return (
    <FormDialog
      title={t.newProvider}
      onClose={onClose}
      submitLabel={t.createProvider}
      busy={busy}
      formRef={form}
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
      {above !== null && (
        <Callout tone="failed" alert>
          {above}
        </Callout>
      )}
    </FormDialog>
  );
}

/** Returns the error of the field, or of one of its lines. */
const findErrorAt = (errors: FormErrors, path: string): string | null =>
  Object.entries(errors).find(([at]) => at === path || at.startsWith(`${path}.`))?.[1] ?? null;
const without = (errors: FormErrors, path: string): FormErrors =>
  Object.fromEntries(
    Object.entries(errors).filter(([at]) => at !== path && !at.startsWith(`${path}.`)),
  );
