import type { UserId } from '#contract/ids.ts';
import { post } from '../mail/queue-mail.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';

/**
 * `subject`: the part of the account. `what`: what happened. `ifNot`: what to do if it wasn't the
 * user, without a full stop.
 */
export interface AccountMail {
  readonly subject: string;
  readonly what: string;
  readonly ifNot: string;
}

/**
 * Mails a user about a change of the account, so that a change by somebody else is noticed. The
 * user can't turn this off.
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
