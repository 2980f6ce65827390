import type { Notification } from '#contract/notifications/notices.ts';
import type { Role } from '#contract/abilities.ts';
import type { InputOf } from '#contract/calls.ts';

/**
 * A notice as it is typed. `to`: for all, for those with one of `roles`, or for the user `userId`.
 */
export interface Draft {
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
export const EMPTY: Draft = {
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

export const FAULT_WORDS = {
  message: 'Enter what is to be read, 500 characters at most.',
  link: 'Enter an address that begins with https:// or with / for this portal.',
  roles: 'Choose one role at least.',
  userId: 'Choose a user.',
};

/** As the call wants it. Nobody chosen is told as a fault of its field, not sent as everybody. */
export const noticeOf = ({
  to,
  roles,
  userId,
  link,
  message,
  copy,
  ...rest
}: Draft): InputOf<'publishNotification'> => ({
  ...rest,
  message: message.trim(),
  link: link.trim() === '' ? null : link.trim(),
  copy: link.trim() !== '' && copy,
  userId: to === 'user' ? userId : null,
  roles: to === 'roles' ? [...roles] : null,
});

/** What the schema cannot know: that one of several has to be chosen. */
export function unchosen({ to, roles, userId }: Draft): Readonly<Record<string, string>> {
  if (to === 'roles' && roles.length === 0) return { roles: FAULT_WORDS.roles };
  return to === 'user' && userId === '' ? { userId: FAULT_WORDS.userId } : {};
}

export const APP_WORDS: Readonly<Record<Notification['app'], string>> = {
  monitoring: 'Monitoring',
  o365: 'Microsoft 365',
  admin: 'Administration',
};
export const SEVERITIES = {
  info: { word: 'Information', tone: 'running' },
  success: { word: 'Success', tone: 'success' },
  warning: { word: 'Warning', tone: 'warning' },
  error: { word: 'Error', tone: 'failed' },
} as const satisfies Readonly<
  Record<Notification['severity'], { readonly word: string; readonly tone: string }>
>;

/** Who reads it, in words. A user is named where the name is known. */
export function readersOf(
  { userId, roles }: Pick<Notification, 'userId' | 'roles'>,
  nameOf: (id: string) => string | null,
): string {
  if (userId !== null) return nameOf(userId) ?? 'one user';
  return roles === null ? 'everybody' : roles.join(', ');
}
