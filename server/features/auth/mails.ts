import { withLanguage } from '#contract/i18n/messages.ts';
import type { UserId } from '#contract/ids.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { post } from '../../platform/mail/queue-mail.ts';
import { loadUserLanguage } from '../../platform/tenancy/reader-language.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { authMailMessages as t } from './messages.en.ts';

interface MailText {
  readonly subject: string;
  readonly text: string;
}
type ByPortal = (values: { readonly portal: string }) => string;

/** The subject and the first paragraph of the email about a change. */
const CHANGES = {
  password: [t.passwordSubject, t.passwordChanged],
  email: [t.emailSubject, t.emailChanged],
  phone: [t.phoneSubject, t.phoneChanged],
  username: [t.usernameSubject, t.usernameChanged],
  questions: [t.questionsSubject, t.questionsChanged],
  unlocked: [t.unlockedSubject, t.unlocked],
} as const satisfies Record<string, readonly [ByPortal, ByPortal]>;

/**
 * Emails a user at `to` that their account has changed, regardless of their notification settings.
 * Sends nothing if the user has no address.
 */
export async function tellChange(
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  to: string | null,
  change: keyof typeof CHANGES,
): Promise<void> {
  if (to === null || to === '') return;
  const portal = await portalName(tx);
  const [subject, what] = CHANGES[change];
  const mail = withLanguage(await loadUserLanguage(tx, user), () => ({
    subject: subject({ portal }),
    text: paragraphs(what({ portal }), t.notYou),
  }));
  await post(tx, context, { kind: 'mail', to, ...mail });
}

/** Returns an email with a link to choose a new password. */
export const linkMail = (portal: string, link: string): MailText => ({
  subject: t.linkSubject({ portal }),
  text: paragraphs(t.link({ portal }), link, t.linkIgnore),
});

/** Returns an email with a code. */
export const codeMail = (portal: string, code: string): MailText => ({
  subject: t.codeSubject({ portal }),
  text: paragraphs(t.code({ portal, code }), t.codeIgnore),
});

const paragraphs = (...lines: readonly string[]): string => `${lines.join('\n\n')}\n`;

/** Returns the portal's name on one line, as an email subject requires. */
export const portalName = async ({ tenant, sql }: TenantTx): Promise<string> =>
  (
    await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow()
  ).branding.name.replace(/[\s\p{Cc}]+/gu, ' ');
