import type { UserId } from '#contract/ids.ts';
import { mailAccount } from '../../platform/auth/account-mail.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { authMailMessages as t } from './messages.en.ts';

const WHAT = {
  'totp-added': 'totpAdded',
  'totp-removed': 'totpRemoved',
  'passkey-added': 'passkeyAdded',
  'passkey-removed': 'passkeyRemoved',
  'sms-added': 'smsAdded',
  'sms-removed': 'smsRemoved',
  'codes-made': 'recoveryCodesCreated',
  'code-used': 'recoveryCodeUsed',
  'phone-set': 'phoneSet',
  'phone-asked': 'phoneRequested',
} as const;

/** Emails a user about a change to their authentication factors. */
export const tellFactor = (
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  what: keyof typeof WHAT,
): Promise<void> =>
  mailAccount(tx, context, user, (portal) => ({
    subject: t.accountSubject({ portal }),
    what: t[WHAT[what]],
    ifNot: t.notYouFactors,
  }));
