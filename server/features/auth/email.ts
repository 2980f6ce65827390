import type { emailCalls } from '#contract/auth/email-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import { NOT_FOUND } from '../../platform/http/envelope.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import { readOneTime, useOneTime } from '../../platform/crypto/one-time-secrets.ts';
import type { AppContext } from '../../platform/app-context.ts';
import {
  EMAIL_LINK,
  hasAddress,
  sendEmailLink,
  verifyEmail,
  waitForEmailLink,
} from '../../platform/auth/email-confirmation.ts';
import { ownId } from './profile.ts';
import { loadProfile } from './profile-read.ts';
import { checkLink } from './check-link.ts';
import { askingBuckets } from './recovery-limits.ts';
import { countTry, giveBack, tooMany } from './rate-limit.ts';

/** EMAIL-3: a user confirms an address by a link that is mailed to it. */
export const emailHandlers = (context: AppContext): Pick<Handlers, keyof typeof emailCalls> => ({
  checkEmailLink: ({ token }, ctx) =>
    context.store.tenant(ctx.tenant, (tx) =>
      checkLink(tx, ctx, async () => {
        const link = await readOneTime(tx, EMAIL_LINK, token, ctx.now);
        const id = link?.user_id ?? null;
        const user = id === null ? undefined : (await tx.rows('user', [id])).get(id);
        return (
          user !== undefined &&
          user.deletedAt === null &&
          (await hasAddress(tx, user.id, link?.data['address']))
        );
      }),
    ),

  confirmEmail: ({ token }, ctx) =>
    context.store.tenant(ctx.tenant, async (tx) => {
      const tried = askingBuckets(ctx.ip);
      const outcome = await countTry(tx, tried, ctx.now);
      if ('waitMs' in outcome) return failed(tooMany(outcome.waitMs));
      const link = await useOneTime(tx, EMAIL_LINK, token, ctx.now);
      const id = link?.user_id ?? null;
      const user = id === null ? undefined : (await tx.rows('user', [id])).get(id);
      if (
        !user ||
        user.deletedAt !== null ||
        !(await verifyEmail(tx, user.id, link?.data['address']))
      )
        return failed({ kind: 'not-found', message: MESSAGES.linkOver });
      await giveBack(tx, tried, ctx.now);
      await tx.append(
        [
          {
            event: { type: 'user.updated@1', data: { id: user.id, fields: ['emailVerified'] } },
            company: null,
            entity: `user:${user.id}`,
          },
        ],
        { actor: { kind: 'user', id: user.id }, subject: null, commandId: null, at: ctx.now },
      );
      await audit(tx, context, ctx, { what: 'email.confirmed', user: user.id });
      return ok({});
    }),

  async sendEmailLink({ id }, ctx) {
    const session = ownId(ctx, id);
    if (!session) return failed(NOT_FOUND);
    return context.store.tenant(ctx.tenant, async (tx) => {
      await tx.lock(); // a concurrent request counts this one
      const { email, email_verified: verified } = await tx.sql
        .selectFrom('person')
        .select(['email', 'email_verified'])
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', session.userId)
        .executeTakeFirstOrThrow();
      if (!email || verified)
        return failed({ kind: 'conflict', message: MESSAGES.emailNothingToConfirm });
      const wait = await waitForEmailLink(tx, session.userId, ctx.now);
      if (wait > 0)
        return failed({
          kind: 'too-many',
          message: MESSAGES.emailTooManyLinks,
          retryAfterMs: wait,
        });
      await sendEmailLink(tx, context, ctx, session.userId, email);
      return ok(await loadProfile(tx, session, ctx.now));
    });
  },
});
