import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { Profile } from '#contract/auth/profile-calls.ts';
import { NOTICES } from '#contract/auth/profile.ts';
import { LIMITS } from '#contract/limits.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { tell } from '#src/ui/toasts.ts';
import { fullText } from '#src/ui/full-text.tsx';
import { EmailState } from './email-state.tsx';
import { LANGUAGE_CHOICES, zoneChoices } from '../../shared/language-choices.ts';
import { changesOf, draftOf, faultsOf, FIELDS, refusalOf } from './profile-draft.ts';
import type { Draft, Faults } from './profile-draft.ts';

export interface ProfileFormProps {
  readonly profile: Profile;
  readonly onSaved: (profile: Profile) => void;
}

/** Name, ways to be reached, language and mails: saved together. */
export function ProfileForm({ profile, onSaved }: ProfileFormProps) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(profile));
  const [faults, setFaults] = useState<Faults>({});
  const [above, setAbove] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const zone = useZone();
  const offline = useWatch('status', NOTHING)?.is === 'offline';
  const changes = changesOf(draft, profile);
  const put = (next: Partial<Draft>): void => setDraft((old) => ({ ...old, ...next }));
  const directory = profile.auth === 'ad';

  function show(wrong: Faults): void {
    setFaults(wrong);
    const first = FIELDS.find((field) => wrong[field] !== undefined);
    if (first !== undefined) form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
  }

  async function save(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    setAbove(offline ? BASE.needsNetwork : null);
    const wrong = faultsOf(draft, profile);
    show(wrong);
    if (offline || changes === null || Object.keys(wrong).length > 0) return;
    setBusy(true);
    const answer = await withReauth(() =>
      client().ask('editProfile', { id: profile.id, ...changes }),
    );
    setBusy(false);
    if (answer.ok) {
      onSaved(answer.value);
      setDraft(draftOf(answer.value));
      tell('Profile saved');
      return;
    }
    const refusal = refusalOf(answer.failure);
    setAbove(refusal.above);
    show(refusal.faults);
  }

  const field = (name: 'name' | 'username' | 'email' | 'mobilePhone' | 'officePhone') => ({
    name,
    value: draft[name],
    fault: faults[name] ?? null,
    onChange: (event: { readonly target: { readonly value: string } }) => {
      put({ [name]: event.target.value });
      setFaults((old) => ({ ...old, [name]: undefined }));
    },
  });
  return (
    <form ref={form} onSubmit={(event) => void save(event)} noValidate aria-busy={busy}>
      <UnsavedQuestion dirty={changes !== null && !busy} />
      <FormSection title="Who you are" says="Colleagues see this name next to your actions.">
        <RequiredNote />
        <TextField
          {...field('name')}
          label="Name"
          required
          autoComplete="name"
          maxLength={LIMITS.nameChars}
        />
        <TextField
          {...field('username')}
          label="Username"
          required
          autoComplete="username"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={LIMITS.nameChars}
          readOnly={directory}
          hint={fullText(
            draft.username,
            directory ? 'The directory keeps it.' : 'You sign in with it.',
          )}
        />
      </FormSection>
      <FormSection
        title="How to reach you"
        says="Phone numbers appear only here and aren’t stored on this device."
      >
        <TextField
          {...field('email')}
          label="E-mail"
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          maxLength={254}
          hint={fullText(draft.email, 'When you change it, we notify your previous address.')}
        />
        <EmailState profile={profile} onSent={onSaved} />
        <TextField
          {...field('mobilePhone')}
          label="Mobile phone"
          type="tel"
          autoComplete="tel"
          maxLength={40}
          hint="For codes when you sign in. Include the country code, such as +1 555 010 0200."
        />
        <TextField
          {...field('officePhone')}
          label="Office phone"
          type="tel"
          autoComplete="work tel"
          maxLength={40}
        />
      </FormSection>
      <FormSection
        title="Language and time"
        says={`Lists and reports use your provider’s days (${zone}).`}
      >
        <Select
          label="Language"
          block
          value={draft.language}
          options={[{ value: '', word: 'No preference' }, ...LANGUAGE_CHOICES]}
          onChange={(language) => put({ language })}
        />
        <Combobox
          label="Time zone"
          value={draft.timeZone || NONE}
          options={[{ value: NONE, word: `As the provider (${zone})` }, ...zoneChoices()]}
          onChange={(chosen) => put({ timeZone: chosen === NONE ? '' : chosen })}
        />
      </FormSection>
      <FormSection title="Notifications">
        <div className="grid">
          {NOTICES.map((notice) => (
            <Switch
              key={notice}
              label={MAILS[notice][0]}
              detail={MAILS[notice][1]}
              on={draft.notices[notice]}
              onChange={(on) => put({ notices: { ...draft.notices, [notice]: on } })}
            />
          ))}
        </div>
      </FormSection>
      <div className="grid max-w-[760px] gap-3 pb-6 desk:pl-[280px]">
        {above !== null && (
          <Callout tone="failed" alert>
            {above}
          </Callout>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" busy={busy} disabled={changes === null}>
            Save
          </Button>
          {changes !== null && !busy && (
            <Button
              onClick={() => {
                setDraft(draftOf(profile));
                setFaults({});
                setAbove(null);
              }}
            >
              Undo the changes
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}

const NOTHING = {};
const NONE = '-';
const MAILS: Readonly<Record<(typeof NOTICES)[number], readonly [string, string]>> = {
  security: ['Your account', 'New devices and changes of how you sign in.'],
  reports: ['Reports', 'Scheduled reports that are sent to you.'],
  product: ['News', 'What is new in the portal.'],
};
