import * as v from 'valibot';
import { backupJobCalls } from '#contract/backup/job-calls.ts';
import type { InputOf, OutputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import type { PickedPerson } from '../../shared/forms/person-picker.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import type { FormSchema } from '#src/ui/form-schema.ts';
import { backupJobMessages as t } from './messages.en.ts';

export interface NotificationForm {
  readonly enabled: boolean;
  readonly notifyOnFailure: boolean;
  readonly users: readonly PickedPerson[];
  /** Addresses as typed. */
  readonly addresses: string;
}
export interface NotificationFields {
  readonly enabled: boolean;
  readonly notifyOnFailure: boolean;
  readonly userIds: string[];
  readonly externalAddresses: string[];
}

export const createNotificationsForm = ({
  enabled,
  notifyOnFailure,
  users,
  externalAddresses,
}: OutputOf<'getJobNotifications'>): NotificationForm => ({
  enabled,
  notifyOnFailure,
  users,
  addresses: externalAddresses.join('\n'),
});

/** Returns what to save, or what is wrong with the addresses. */
export function readNotifications({
  enabled,
  notifyOnFailure,
  users,
  addresses,
}: NotificationForm): {
  readonly value: NotificationFields | null;
  readonly errors: { readonly addresses: string | null };
} {
  const externalAddresses = [...new Set(addresses.split(/[\s,;]+/).filter((one) => one !== ''))];
  const error = externalAddresses.some((one) => !v.is(Address, one))
    ? t.addressesNotValid
    : externalAddresses.length > LIMITS.backupJobRecipients
      ? t.tooManyRecipients({ max: LIMITS.backupJobRecipients })
      : enabled && externalAddresses.length + users.length === 0
        ? t.recipientsMissing
        : null;
  return {
    value:
      error === null
        ? { enabled, notifyOnFailure, userIds: users.map(({ _id }) => _id), externalAddresses }
        : null,
    errors: { addresses: error },
  };
}
const Address = v.pipe(v.string(), v.email(), v.maxLength(LIMITS.addressChars));

export const makeNotificationsSchema = (
  jobId: string,
): FormSchema<NotificationForm, InputOf<'setJobNotifications'>> =>
  makeFormSchema(backupJobCalls.setJobNotifications.input, (form: NotificationForm) => {
    const { value, errors } = readNotifications(form);
    return { value: value && { jobId, ...value }, errors };
  });
