import { profileCalls } from '#contract/auth/profile-calls.ts';
import type { Profile } from '#contract/auth/profile-calls.ts';
import { NOTICES } from '#contract/auth/profile.ts';
import type { InputOf } from '#contract/calls.ts';
import { LANGUAGE_TAGS } from '#contract/i18n/language-tags.ts';
import type { LanguageTag } from '#contract/i18n/language-tags.ts';
import type { Failure } from '#contract/errors.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import type { FormSchema } from '#src/ui/form-schema.ts';
import { parsePhone } from '../phone-number.ts';
import { ownAccountMessages as t } from '../security/messages.en.ts';

/** The fields of the page as typed; an empty text means no value. */
export interface ProfileDraft {
  readonly name: string;
  readonly username: string;
  readonly email: string;
  readonly mobilePhone: string;
  readonly officePhone: string;
  readonly language: LanguageTag | '';
  readonly timeZone: string;
  readonly notices: Readonly<Record<(typeof NOTICES)[number], boolean>>;
}
export const PROFILE_FIELDS = [
  'name',
  'username',
  'email',
  'mobilePhone',
  'officePhone',
  'language',
  'timeZone',
] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];
export type ProfileFormErrors = Partial<Readonly<Record<ProfileField, string>>>;

export function getProfileDraft(profile: Profile): ProfileDraft {
  const { name, username, email, mobilePhone, officePhone, language, timeZone, notices } = profile;
  return {
    name,
    username,
    email,
    mobilePhone: mobilePhone ?? '',
    officePhone: officePhone ?? '',
    language: LANGUAGE_TAGS.find((tag) => tag === language) ?? '',
    timeZone: timeZone ?? '',
    notices: {
      security: notices?.security ?? true,
      reports: notices?.reports ?? true,
      product: notices?.product ?? true,
    },
  };
}

/**
 * Validates the typed values before they are sent. Unchanged values are not checked, because the
 * server has accepted them before.
 */
export function getProfileErrors(draft: ProfileDraft, profile: Profile): ProfileFormErrors {
  const before = getProfileDraft(profile);
  const changed = (field: ProfileField): boolean => draft[field].trim() !== before[field];
  const phone = (field: 'mobilePhone' | 'officePhone'): ProfileFormErrors =>
    changed(field) && draft[field].trim() !== '' && parsePhone(draft[field]) === null
      ? { [field]: ACCOUNT.phoneNotValid }
      : {};
  return {
    ...(draft.name.trim() === '' && { name: t.ownNameMissing }),
    ...(draft.username.trim() === '' ? { username: t.usernameMissing } : {}),
    ...(changed('email') &&
      !/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(draft.email.trim()) && {
        email: t.emailInvalid,
      }),
    ...phone('mobilePhone'),
    ...phone('officePhone'),
  };
}

/** Returns only the changed values, or null if nothing changed. */
export function getProfileChanges(
  draft: ProfileDraft,
  profile: Profile,
): Omit<InputOf<'editProfile'>, 'id'> | null {
  const before = getProfileDraft(profile);
  const text = (field: 'name' | 'username' | 'email'): object =>
    draft[field].trim() === before[field] ? {} : { [field]: draft[field].trim() };
  const some = (field: 'language' | 'timeZone'): object =>
    draft[field] === before[field] ? {} : { [field]: draft[field] || null };
  const phone = (field: 'mobilePhone' | 'officePhone'): object =>
    draft[field].trim() === before[field]
      ? {}
      : {
          [field]:
            draft[field].trim() === '' ? null : (parsePhone(draft[field]) ?? draft[field].trim()),
        };
  const notices = NOTICES.filter((notice) => draft.notices[notice] !== before.notices[notice]);
  const changes = {
    ...text('name'),
    ...text('username'),
    ...text('email'),
    ...phone('mobilePhone'),
    ...phone('officePhone'),
    ...some('language'),
    ...some('timeZone'),
    ...(notices.length > 0 && {
      notices: Object.fromEntries(notices.map((notice) => [notice, draft.notices[notice]])),
    }),
  };
  return Object.keys(changes).length === 0 ? null : changes;
}

export const makeProfileSchema = (
  profile: Profile,
): FormSchema<ProfileDraft, InputOf<'editProfile'>> =>
  makeFormSchema(profileCalls.editProfile.input, (draft: ProfileDraft) => ({
    value: { id: profile.id, ...getProfileChanges(draft, profile) },
    errors: getProfileErrors(draft, profile),
  }));

/** Assigns a refusal to its fields, or to the whole form. */
export function getRefusal(failure: Failure): {
  readonly errors: ProfileFormErrors;
  readonly above: string | null;
} {
  if (failure.kind === 'conflict')
    return { errors: { username: ACCOUNT.usernameTaken }, above: null };
  if (failure.kind === 'bad-input') {
    const errors = Object.fromEntries(
      failure.issues.flatMap(({ path, message }) =>
        PROFILE_FIELDS.filter((field) => field === path).map((field) => [field, message]),
      ),
    );
    return Object.keys(errors).length > 0
      ? { errors, above: null }
      : { errors: {}, above: failure.message };
  }
  return {
    errors: {},
    above: failure.kind === 'not-found' ? ACCOUNT.editProfile : failure.message,
  };
}
