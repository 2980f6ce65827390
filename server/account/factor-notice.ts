import type { UserId } from '#contract/ids.ts';
import { post } from '../outbound/post.ts';
import type { TenantTx } from '../store/store.ts';
import type { World } from '../world.ts';

const WHAT = {
  'totp-added': 'An authenticator app was set up for your account.',
  'totp-removed': 'The authenticator app of your account was removed.',
  'passkey-added': 'A passkey was added to your account.',
  'passkey-removed': 'A passkey of your account was removed.',
  'sms-added': 'Codes by SMS were switched on for your account.',
  'sms-removed': 'Codes by SMS were switched off for your account.',
  'codes-made': 'New recovery codes were made for your account. The ones before them do not work any more.',
  'code-used': 'A recovery code was used to sign in to your account.',
  'phone-set': 'A mobile number was set for codes to sign in to your account.',
  'phone-asked': 'Somebody who knows your password asked for codes to be sent to another mobile number.',
} as const;

/** Tells a user by mail what became of their factors: whoever did not do it themselves learns of it. Always sent: it is no choice. */
export async function tellFactor(tx: TenantTx, world: World, user: UserId, what: keyof typeof WHAT): Promise<void> {
  const { tenant, sql } = tx;
  const person = await sql.selectFrom('person').select(['name', 'email']).where('tenant_id', '=', tenant).where('id', '=', user).executeTakeFirst();
  if (!person || person.email === null || person.email === '') return;
  const { branding } = await sql.selectFrom('provider').select('branding').where('tenant_id', '=', tenant).executeTakeFirstOrThrow();
  const contact = branding.supportEmail ?? branding.supportPhone;
  await post(tx, world, {
    kind: 'mail', to: person.email, subject: `Your account at ${branding.name}`.replace(/[\r\n]+/g, ' '),
    text: `Hello ${person.name},\n\n${WHAT[what]}\n\nIf this was not you, sign in, change your password and end the other sessions${contact === null ? '' : `, or ask for help: ${contact}`}.\n\n${branding.name}\n`,
  });
}
