import { formatList } from '#contract/i18n/list.ts';
import { ROLE_NAMES } from '#src/features/shared/role-names.ts';
import type { Notification } from '#contract/notifications/notices.ts';
import type { Role } from '#contract/abilities.ts';
import type { InputOf } from '#contract/calls.ts';
import { adminNoticesMessages as t } from './messages.en.ts';

/** A notice as typed. `to`: everybody, users with one of `roles`, or the user `userId`. */
export interface NoticeDraft {
  readonly app: Notification['app'];
  readonly severity: Notification['severity'];
  readonly message: string;
  readonly link: string;
  readonly copy: boolean;
  readonly hideAck: boolean;
  readonly hideClose: boolean;
  readonly to: 'all' | 'roles' | 'user';
  readonly roles: readonly Role[];
  readonly userId: string;
}
export const EMPTY_NOTICE: NoticeDraft = {
  app: 'monitoring',
  severity: 'info',
  message: '',
  link: '',
  copy: false,
  hideAck: false,
  hideClose: false,
  to: 'all',
  roles: [],
  userId: '',
};

export const NOTICE_ERRORS = {
  message: t.textNotValid,
  link: t.linkNotValid,
  roles: t.rolesMissing,
  userId: t.userMissing,
};

/**
 * Converts the draft to the call's input. A missing choice must fail validation and never send the
 * notice to everybody.
 */
export const getNotice = ({
  to,
  roles,
  userId,
  link,
  message,
  copy,
  ...rest
}: NoticeDraft): InputOf<'publishNotification'> => ({
  ...rest,
  message: message.trim(),
  link: link.trim() === '' ? null : link.trim(),
  copy: link.trim() !== '' && copy,
  userId: to === 'user' ? userId : null,
  roles: to === 'roles' ? [...roles] : null,
});

/** Checks what the schema cannot: that at least one choice is made. */
export function findMissingChoice({
  to,
  roles,
  userId,
}: NoticeDraft): Readonly<Record<string, string>> {
  if (to === 'roles' && roles.length === 0) return { roles: NOTICE_ERRORS.roles };
  return to === 'user' && userId === '' ? { userId: NOTICE_ERRORS.userId } : {};
}

export const APP_WORDS: Readonly<Record<Notification['app'], string>> = {
  monitoring: t.monitoring,
  o365: t.microsoft365,
  admin: t.administration,
};
export const NOTICE_SEVERITIES = {
  info: { label: t.information, tone: 'running' },
  success: { label: t.success, tone: 'success' },
  warning: { label: t.warning, tone: 'warning' },
  error: { label: t.error, tone: 'failed' },
} as const satisfies Readonly<
  Record<Notification['severity'], { readonly label: string; readonly tone: string }>
>;

/** Describes the readers. A user is named if the name is known. */
export function getReaders(
  { userId, roles }: Pick<Notification, 'userId' | 'roles'>,
  getName: (id: string) => string | null,
): string {
  if (userId !== null) return getName(userId) ?? t.oneUserOnly;
  return roles === null
    ? t.everyone
    : formatList(
        roles.map((role) => ROLE_NAMES[role]),
        'plain',
      );
}
