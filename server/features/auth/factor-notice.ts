import type { UserId } from '#contract/ids.ts';
import { mailAccount } from '../../platform/auth/account-mail.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';

const WHAT = {
  'totp-added': 'An authenticator app was set up for your account.',
  'totp-removed': 'The authenticator app of your account was removed.',
  'passkey-added': 'A passkey was added to your account.',
  'passkey-removed': 'A passkey of your account was removed.',
  'sms-added': 'Codes by SMS were switched on for your account.',
  'sms-removed': 'Codes by SMS were switched off for your account.',
  'codes-made':
    'New recovery codes were made for your account. The ones before them do not work any more.',
  'code-used': 'A recovery code was used to sign in to your account.',
  'phone-set': 'A mobile number was set for codes to sign in to your account.',
  'phone-asked':
    'Somebody who knows your password asked for codes to be sent to another mobile number.',
} as const;

/** Emails a user about a change to their authentication factors. */
export const tellFactor = (
  tx: TenantTx,
  world: AppContext,
  user: UserId,
  what: keyof typeof WHAT,
): Promise<void> =>
  mailAccount(tx, world, user, {
    subject: 'Your account',
    what: WHAT[what],
    ifNot: 'If this was not you, sign in, change your password and end the other sessions',
  });
