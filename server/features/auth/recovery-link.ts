import { NOBODY } from '#server/platform/auth/nobody.ts';
import { withLanguage } from '#contract/i18n/messages.ts';
import type { recoveryCalls } from '#contract/auth/recovery-calls.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import { endUserKeys } from '../../platform/auth/api-keys.ts';
import { audit } from '../../platform/auth/audit.ts';
import { forgetSessions } from '../../platform/auth/revoke-sessions.ts';
import type { RequestContext, Handlers } from '../../platform/http/handler.ts';
import { makeOneTime, readOneTime, useOneTime } from '../../platform/crypto/one-time-secrets.ts';
import { post } from '../../platform/mail/queue-mail.ts';
import {
  loadMeasure,
  findPasswordError,
  passwordRefused,
} from '../../platform/crypto/password-rules.ts';
import { hashPassword } from '../../platform/crypto/passwords.ts';
import { portalAddress } from '../../platform/tenancy/portal-address.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { usernameKey } from '../../platform/auth/usernames.ts';
import { seal } from '../../platform/crypto/vault.ts';
import { loadUserLanguage } from '../../platform/tenancy/reader-language.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { verifyEmail } from '../../platform/auth/email-confirmation.ts';
import { checkLink } from './check-link.ts';
import { linkMail, portalName, tellChange } from './mails.ts';
import { passwordChosen } from './password-set.ts';
import { recoveryBuckets } from './recovery-limits.ts';
import { countTry, tooMany } from './rate-limit.ts';

const LINK_OVER: Failure = { kind: 'not-found', message: MESSAGES.linkOver };
type ByLink = Pick<
  Handlers,
  Extract<
    keyof typeof recoveryCalls,
    'forgotPassword' | 'checkPasswordLink' | 'checkPasswordLinkSent' | 'changePasswordByLink'
  >
>;

/** Recovery by an emailed link (RECOVER-5, RECOVER-6). Invitation links are used up here too. */
export function recoveryLinkHandlers(context: AppContext): ByLink {
  const check = ({ hash }: { readonly hash: string }, ctx: RequestContext) =>
    context.store.tenant(ctx.tenant, (tx) =>
      checkLink(
        tx,
        ctx,
        async () =>
          (await loadOwner(tx, await readOneTime(tx, 'password', hash, ctx.now))) !== null,
      ),
    );
  return {
    checkPasswordLink: check,
    checkPasswordLinkSent: check,

    forgotPassword: ({ username }, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        const outcome = await countTry(tx, recoveryBuckets(username, ctx.ip), ctx.now);
        if ('waitMs' in outcome) return failed(tooMany(outcome.waitMs));
        const person = await tx.sql
          .selectFrom('person')
          .select(['id', 'email'])
          .where('tenant_id', '=', tx.tenant)
          .where('username_key', '=', usernameKey(username))
          .where('auth', '=', 'db')
          .executeTakeFirst();
        const user = (await tx.rows('user', [person?.id ?? NOBODY])).get(person?.id ?? NOBODY);
        const known =
          user && user.deletedAt === null && person?.email
            ? { id: user.id, email: person.email }
            : null;
        // An unknown name takes the same steps and is recorded too; its link has no user.
        const secret = await makeOneTime(
          tx,
          context,
          'password',
          known?.id ?? null,
          known ? { address: known.email } : {},
          ctx.now,
          LIMITS.passwordLinkMs,
        );
        const portal = await portalName(tx);
        const link = `${await portalAddress(tx, context, ctx)}/reset-password-db#${secret}`;
        const mail = withLanguage(await loadUserLanguage(tx, known?.id ?? null), () =>
          linkMail(portal, link),
        );
        if (known) await post(tx, context, { kind: 'mail', to: known.email, ...mail });
        else
          await seal(
            tx,
            context,
            { table: 'outgoing', column: 'sealed', row: NOBODY },
            JSON.stringify(mail),
          );
        await audit(tx, context, ctx, { what: 'password.link-asked', user: known?.id ?? null });
        return ok({});
      }),

    async changePasswordByLink({ hash, newPassword }, ctx) {
      const checked = await context.store.tenant(ctx.tenant, async (tx) => {
        const owner = await loadOwner(tx, await readOneTime(tx, 'password', hash, ctx.now));
        if (!owner) return failed(LINK_OVER);
        const error = findPasswordError(newPassword, await loadMeasure(tx, owner.id));
        return error === null ? ok({}) : failed(passwordRefused(error));
      });
      if (!checked.ok) return checked;
      const hashing = hashPassword(newPassword);
      if (!hashing) return failed(tooMany(1_000));
      const hashed = await hashing;
      const changed = await context.store.tenant(ctx.tenant, async (tx) => {
        const link = await useOneTime(tx, 'password', hash, ctx.now);
        const owner = await loadOwner(tx, link);
        if (!owner) return failed(LINK_OVER);
        await passwordChosen(tx, owner.id, hashed, ctx.now);
        await verifyEmail(tx, owner.id, link?.data['address']);
        await endUserKeys(tx, context, ctx, owner.id, true);
        await audit(tx, context, ctx, {
          what: 'password.reset',
          user: owner.id,
          detail: { by: 'link' },
        });
        await tellChange(tx, context, owner.id, owner.email, 'password');
        return ok({});
      });
      forgetSessions(context, ctx.tenant);
      return changed;
    },
  };
}

/** Returns the user of the link, if the user still exists and has a password here. */
async function loadOwner(tx: TenantTx, link: { readonly user_id: string | null } | null) {
  if (!link || link.user_id === null) return null;
  const user = (await tx.rows('user', [link.user_id])).get(link.user_id);
  if (!user || user.deletedAt !== null) return null;
  return (
    (await tx.sql
      .selectFrom('person')
      .select(['id', 'email'])
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', user.id)
      .where('auth', '=', 'db')
      .executeTakeFirst()) ?? null
  );
}
