import { withLanguage } from '#contract/i18n/messages.ts';
import type { UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { AuditSource } from '../../platform/auth/audit.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import { makeOneTime } from '../../platform/crypto/one-time-secrets.ts';
import { post } from '../../platform/mail/queue-mail.ts';
import { portalAddress, loadPortalAddress } from '../../platform/tenancy/portal-address.ts';
import { loadUserLanguage } from '../../platform/tenancy/reader-language.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { userMailMessages as t } from './messages.en.ts';

/**
 * Emails a user an invitation to choose a password within a week, at the portal of their own
 * provider. The link is used up like any password link.
 */
export async function invite(
  tx: TenantTx,
  context: AppContext,
  ctx: RequestContext & AuditSource,
  { id, name, email }: { readonly id: UserId; readonly name: string; readonly email: string },
): Promise<void> {
  const secret = await makeOneTime(
    tx,
    context,
    'password',
    id,
    { invited: true, address: email },
    ctx.now,
    LIMITS.invitationMs,
  );
  const title = await loadTitle(tx);
  const address =
    tx.tenant === ctx.tenant
      ? await portalAddress(tx, context, ctx)
      : await loadPortalAddress(tx, context);
  await audit(tx, context, ctx, { what: 'user.invited', user: id });
  await sendUserMail(tx, context, id, email, title, {
    subject: t.accountSubject,
    lines: (portal) => [
      t.helloName({ name }),
      t.accountCreated({ portal }),
      `${address ?? ''}/reset-password-db#${secret}`,
      t.linkOnce,
    ],
  });
}

/**
 * The notice goes to the previous address, so that its owner learns of a change by someone else.
 */
export const tellOfNewAddress = (
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  to: string,
): Promise<void> =>
  tellChange(tx, context, user, to, t.emailSubject, (portal) => [t.emailChanged({ portal })]);

export const tellOfNewUsername = (
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  to: string,
  username: string,
): Promise<void> =>
  tellChange(tx, context, user, to, t.usernameSubject, (portal) => [
    t.usernameChanged({ portal, username }),
  ]);

export const tellOfPassword = (
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  to: string,
): Promise<void> =>
  tellChange(tx, context, user, to, t.passwordSubject, (portal) => [
    t.passwordChanged({ portal }),
    t.signedOutPassword,
  ]);

export const tellOfFactors = (
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  to: string,
): Promise<void> =>
  tellChange(tx, context, user, to, t.factorsSubject, (portal) => [
    t.factorsReset({ portal }),
    t.signedOutFactors,
  ]);

export const tellOfSms = (
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  to: string,
  on: boolean,
): Promise<void> =>
  tellChange(tx, context, user, to, on ? t.smsOnSubject : t.smsOffSubject, (portal) => [
    on ? t.smsOn({ portal }) : t.smsOff({ portal }),
  ]);

/** Tells a user about a change by an administrator. `lines` are the paragraphs about it. */
const tellChange = async (
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  to: string,
  subject: MailText['subject'],
  lines: MailText['lines'],
): Promise<void> =>
  sendUserMail(tx, context, user, to, await loadTitle(tx), {
    subject,
    lines: (portal) => [...lines(portal), t.notIntended],
  });

/** An email's subject and paragraphs. */
interface MailText {
  readonly subject: (values: { readonly portal: string }) => string;
  readonly lines: (portal: string) => readonly string[];
}

/** Sends an email in the language of `user`, or of the portal if the reader has no account. */
export async function sendUserMail(
  tx: TenantTx,
  context: AppContext,
  user: UserId | null,
  to: string,
  portal: string,
  { subject, lines }: MailText,
): Promise<void> {
  const mail = withLanguage(await loadUserLanguage(tx, user), () => ({
    subject: subject({ portal }),
    text: `${lines(portal).join('\n\n')}\n`,
  }));
  await post(tx, context, { kind: 'mail', to, ...mail });
}

/** Returns the portal's title on one line, as an email subject requires. */
export const loadTitle = async ({ tenant, sql }: TenantTx): Promise<string> =>
  (
    await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow()
  ).branding.name.replace(/\s+/g, ' ');
