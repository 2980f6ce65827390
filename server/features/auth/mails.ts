import type { TenantTx } from '../../platform/db/store.ts';
import { post } from '../../platform/mail/queue-mail.ts';
import type { AppContext } from '../../platform/app-context.ts';

/** An email to a user about their account. `lines` are paragraphs. */
interface Told {
  readonly subject: (portal: string) => string;
  readonly lines: (portal: string) => readonly string[];
}

const NOT_YOU = 'If this was not you, tell your administrator at once.';

const CHANGES = {
  password: {
    subject: (portal) => `Your password at ${portal} was changed`,
    lines: (portal) => [
      `The password of your account at ${portal} was changed. All other sessions were ended.`,
      NOT_YOU,
    ],
  },
  email: {
    subject: (portal) => `Your e-mail address at ${portal} was changed`,
    lines: (portal) => [
      `The e-mail address of your account at ${portal} was changed. Mail goes to the new address from now on.`,
      NOT_YOU,
    ],
  },
  phone: {
    subject: (portal) => `Your phone number at ${portal} was changed`,
    lines: (portal) => [
      `A phone number of your account at ${portal} was changed. Codes go to the number that is there now.`,
      NOT_YOU,
    ],
  },
  username: {
    subject: (portal) => `Your user name at ${portal} was changed`,
    lines: (portal) => [`The user name of your account at ${portal} was changed.`, NOT_YOU],
  },
  questions: {
    subject: (portal) => `Your security questions at ${portal} were changed`,
    lines: (portal) => [
      `The security questions of your account at ${portal} were chosen anew.`,
      NOT_YOU,
    ],
  },
  unlocked: {
    subject: (portal) => `Your account at ${portal} was unlocked`,
    lines: (portal) => [
      `Your account at ${portal} was unlocked with a code that was sent to you.`,
      NOT_YOU,
    ],
  },
} as const satisfies Record<string, Told>;

/**
 * Emails a user that their account has changed, regardless of their notification settings. Sends
 * nothing if the user has no address.
 */
export async function tellChange(
  tx: TenantTx,
  world: AppContext,
  to: string | null,
  change: keyof typeof CHANGES,
): Promise<void> {
  if (to === null || to === '') return;
  const portal = await portalName(tx);
  const { subject, lines } = CHANGES[change];
  await post(tx, world, {
    kind: 'mail',
    to,
    subject: subject(portal),
    text: `${lines(portal).join('\n\n')}\n`,
  });
}

export const linkMail = (
  portal: string,
  link: string,
): { readonly subject: string; readonly text: string } => ({
  subject: `Choose a new password for ${portal}`,
  text: `A new password was asked for your account at ${portal}. Choose it within 15 minutes:\n\n${link}\n\nThe link works once. If you did not ask for it, ignore this mail: your password stays as it is.\n`,
});

export const codeMail = (
  portal: string,
  code: string,
): { readonly subject: string; readonly text: string } => ({
  subject: `Your code for ${portal}`,
  text: `${code} is your code for ${portal}. It is good for five minutes. Give it to nobody.\n\nIf you did not ask for it, ignore this mail: nothing changes.\n`,
});

/** Returns the portal's name on one line, as an email subject requires. */
export const portalName = async ({ tenant, sql }: TenantTx): Promise<string> =>
  (
    await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow()
  ).branding.name.replace(/[\s\p{Cc}]+/gu, ' ');
