import type { UserId } from '#contract/ids.ts';
import { withLanguage } from '#contract/i18n/messages.ts';
import { post } from '../mail/queue-mail.ts';
import type { TenantTx } from '../db/store.ts';
import { loadBranding } from '../tenancy/branding.ts';
import { loadUserLanguage } from '../tenancy/reader-language.ts';
import type { AppContext } from '../app-context.ts';
import { accountMailMessages as t } from './messages.en.ts';

/** `what`: what happened. `ifNot`: what to do if it wasn't the user. */
export interface AccountMail {
  readonly subject: string;
  readonly what: string;
  readonly ifNot: string;
}

/**
 * Mails a user about a change of the account, so that a change by somebody else is noticed. The
 * user can't turn this off. `write` gets the portal's name and runs in the user's language.
 */
export async function mailAccount(
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  write: (portal: string) => AccountMail,
): Promise<void> {
  const { tenant, sql } = tx;
  const person = await sql
    .selectFrom('person')
    .select(['name', 'email'])
    .where('tenant_id', '=', tenant)
    .where('id', '=', user)
    .executeTakeFirst();
  if (!person || person.email === null || person.email === '') return;
  const { name, supportEmail, supportPhone } = await loadBranding(tx);
  const contact = supportEmail ?? supportPhone;
  const mail = withLanguage(await loadUserLanguage(tx, user), () => {
    const { subject, what, ifNot } = write(name.replace(/[\r\n]+/g, ' '));
    return {
      subject,
      text: `${[
        t.hello({ name: person.name }),
        what,
        ifNot,
        ...(contact === null ? [] : [t.help({ contact })]),
        name,
      ].join('\n\n')}\n`,
    };
  });
  await post(tx, context, { kind: 'mail', to: person.email, ...mail });
}
