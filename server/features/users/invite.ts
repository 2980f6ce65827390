import type { UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import { makeOneTime } from '../../platform/crypto/one-time-secrets.ts';
import { post } from '../../platform/mail/queue-mail.ts';
import { portalAddress, portalAddressOf } from '../../platform/tenancy/portal-address.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';

/**
 * Emails a user an invitation to choose a password within a week, at the portal of their own
 * provider. The link is used up like any password link.
 */
export async function invite(
  tx: TenantTx,
  world: AppContext,
  ctx: RequestContext,
  { id, name, email }: { readonly id: UserId; readonly name: string; readonly email: string },
): Promise<void> {
  const secret = await makeOneTime(
    tx,
    world,
    'password',
    id,
    { invited: true, address: email },
    ctx.now,
    LIMITS.invitationMs,
  );
  const title = await titleOf(tx);
  const address =
    tx.tenant === ctx.tenant
      ? await portalAddress(tx, world, ctx)
      : await portalAddressOf(tx, world);
  await audit(tx, world, ctx, { what: 'user.invited', user: id });
  await post(tx, world, {
    kind: 'mail',
    to: email,
    subject: `Your account at ${title}`,
    text: `Hello ${name},\n\nan account was made for you at ${title}. Choose its password within seven days:\n\n${address ?? ''}/reset-password-db#${secret}\n\nThe link works once. If you did not expect this mail, you can ignore it.\n`,
  });
}

/**
 * The notice goes to the previous address, so that its owner learns of a change by someone else.
 */
export async function tellOfNewAddress(tx: TenantTx, world: AppContext, to: string): Promise<void> {
  const title = await titleOf(tx);
  await post(tx, world, {
    kind: 'mail',
    to,
    subject: `Your e-mail address at ${title} was changed`,
    text: `An administrator has changed the e-mail address of your account at ${title}. Mail goes to the new address from now on.\n\nIf this was not meant, tell your administrator.\n`,
  });
}

export async function tellOfNewUsername(
  tx: TenantTx,
  world: AppContext,
  to: string,
  username: string,
): Promise<void> {
  const title = await titleOf(tx);
  await post(tx, world, {
    kind: 'mail',
    to,
    subject: `Your user name at ${title} was changed`,
    text: `An administrator has changed the user name of your account at ${title}. Sign in as ${username} from now on.\n\nIf this was not meant, tell your administrator.\n`,
  });
}

export async function tellOfPassword(tx: TenantTx, world: AppContext, to: string): Promise<void> {
  const title = await titleOf(tx);
  await post(tx, world, {
    kind: 'mail',
    to,
    subject: `Your password at ${title} was changed`,
    text: `An administrator has set a new password for your account at ${title}. You are signed out everywhere and choose your own password at the next sign-in.\n\nIf this was not meant, tell your administrator.\n`,
  });
}

export async function tellOfFactors(tx: TenantTx, world: AppContext, to: string): Promise<void> {
  const title = await titleOf(tx);
  await post(tx, world, {
    kind: 'mail',
    to,
    subject: `Your second factors at ${title} were reset`,
    text: `An administrator has removed the authenticator, passkeys and recovery codes of your account at ${title}. You are signed out everywhere and set up new ones after the next sign-in.\n\nIf this was not meant, tell your administrator.\n`,
  });
}

export async function tellOfSms(
  tx: TenantTx,
  world: AppContext,
  to: string,
  on: boolean,
): Promise<void> {
  const title = await titleOf(tx);
  await post(tx, world, {
    kind: 'mail',
    to,
    subject: `Codes by SMS at ${title} were switched ${on ? 'on' : 'off'}`,
    text: `An administrator has switched codes by SMS ${on ? 'on' : 'off'} for your account at ${title}. ${on ? 'One is asked for at the next sign-in.' : 'None is asked for any more, unless your provider asks everybody.'}\n\nIf this was not meant, tell your administrator.\n`,
  });
}

/** Returns the portal's title on one line, as an email subject requires. */
export const titleOf = async ({ tenant, sql }: TenantTx): Promise<string> =>
  (
    await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow()
  ).branding.name.replace(/\s+/g, ' ');
