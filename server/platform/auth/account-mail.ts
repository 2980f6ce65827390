import type { UserId } from '#contract/ids.ts';
import { post } from '../mail/queue-mail.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';

/**
 * `subject`: what of the account it is about. `what`: what happened. `ifNot`: what to do about it
 * for who did not do it, without a full stop.
 */
export interface AccountMail {
  readonly subject: string;
  readonly what: string;
  readonly ifNot: string;
}

/**
 * Tells a user by mail what became of the account: whoever did not do it themselves learns of it.
 * Always sent: it is no choice.
 */
export async function mailAccount(
  tx: TenantTx,
  world: AppContext,
  user: UserId,
  { subject, what, ifNot }: AccountMail,
): Promise<void> {
  const { tenant, sql } = tx;
  const person = await sql
    .selectFrom('person')
    .select(['name', 'email'])
    .where('tenant_id', '=', tenant)
    .where('id', '=', user)
    .executeTakeFirst();
  if (!person || person.email === null || person.email === '') return;
  const { branding } = await sql
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  const contact = branding.supportEmail ?? branding.supportPhone;
  await post(tx, world, {
    kind: 'mail',
    to: person.email,
    subject: `${subject} at ${branding.name}`.replace(/[\r\n]+/g, ' '),
    text: `Hello ${person.name},\n\n${what}\n\n${ifNot}${contact === null ? '' : `, or ask for help: ${contact}`}.\n\n${branding.name}\n`,
  });
}
