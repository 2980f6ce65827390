import type { Profile } from '#contract/auth/profile-calls.ts';
import { NOTICES } from '#contract/auth/profile.ts';
import { LIMITS } from '#contract/limits.ts';
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
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { fullText } from '#src/ui/full-text.tsx';
import { EmailState } from './email-state.tsx';
import { languageChoices, zoneChoices } from '../../shared/language-choices.ts';
import {
  getProfileChanges,
  getProfileDraft,
  getRefusal,
  makeProfileSchema,
} from './profile-draft.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { ownAccountMessages as t } from '../security/messages.en.ts';

export interface ProfileFormProps {
  readonly profile: Profile;
  readonly onSaved: (profile: Profile) => void;
}

/** Name, contact details, language and emails; saved together. */
export function ProfileForm({ profile, onSaved }: ProfileFormProps) {
  const zone = useZone();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const {
    form: draft,
    change: put,
    errors,
    error,
    busy,
    formRef,
    save,
    reset,
  } = useDraftForm({
    initial: getProfileDraft(profile),
    offline,
    schema: makeProfileSchema(profile),
    submit: (input) => withReauth(() => client().ask('editProfile', input)),
    explain: getRefusal,
    onSaved: (stored) => {
      onSaved(stored);
      reset(getProfileDraft(stored));
      showSuccess(t.profileSaved);
    },
  });
  const changes = getProfileChanges(draft, profile);
  const directory = profile.auth === 'ad';

  const field = (name: 'name' | 'username' | 'email' | 'mobilePhone' | 'officePhone') => ({
    name,
    value: draft[name],
    error: errors[name] ?? null,
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      put({ [name]: target.value }),
  });
  return (
    <form
      ref={formRef}
      onSubmit={(event) => {
        event.preventDefault();
        if (changes !== null) void save();
      }}
      noValidate
      aria-busy={busy}
    >
      <UnsavedQuestion dirty={changes !== null && !busy} />
      <FormSection title={t.identity} description={t.colleaguesSeeThisName}>
        <RequiredNote />
        <TextField
          {...field('name')}
          label={t.name}
          required
          autoComplete="name"
          maxLength={LIMITS.nameChars}
        />
        <TextField
          {...field('username')}
          label={t.username}
          required
          autoComplete="username"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={LIMITS.nameChars}
          readOnly={directory}
          hint={fullText(draft.username, directory ? t.usernameFromDirectory : t.usernameHint)}
        />
      </FormSection>
      <FormSection title={t.contact} description={t.phoneNumbersAppearOnly}>
        <TextField
          {...field('email')}
          label={t.email}
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          maxLength={254}
          hint={fullText(draft.email, t.emailHint)}
        />
        <EmailState profile={profile} onSent={onSaved} />
        <TextField
          {...field('mobilePhone')}
          label={t.mobilePhone}
          type="tel"
          autoComplete="tel"
          maxLength={40}
          hint={t.mobilePhoneHint}
        />
        <TextField
          {...field('officePhone')}
          label={t.officePhone}
          type="tel"
          autoComplete="work tel"
          maxLength={40}
        />
      </FormSection>
      <FormSection title={t.languageAndTime} description={t.providerDays({ zone })}>
        <Select
          label={t.language}
          block
          value={draft.language}
          options={[{ value: '', label: t.sameAsPortal }, ...languageChoices(draft.language)]}
          onChange={(language) => put({ language })}
        />
        <Combobox
          label={t.timeZone}
          value={draft.timeZone || NONE}
          options={[{ value: NONE, label: t.providerTimeZone({ zone }) }, ...zoneChoices()]}
          onChange={(chosen) => put({ timeZone: chosen === NONE ? '' : chosen })}
        />
      </FormSection>
      <FormSection title={t.notifications}>
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
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" busy={busy} disabled={changes === null}>
            {ui.save}
          </Button>
          {changes !== null && !busy && (
            <Button onClick={() => reset(getProfileDraft(profile))}>{t.discardChanges}</Button>
          )}
        </div>
      </div>
    </form>
  );
}

const EMPTY = {};
const NONE = '-';
const MAILS: Readonly<Record<(typeof NOTICES)[number], readonly [string, string]>> = {
  security: [t.securityNotices, t.securityNoticesDetail],
  reports: [t.reportNotices, t.reportNoticesDetail],
  product: [t.productNotices, t.productNoticesDetail],
};
