import type { emailCalls } from '#contract/account/email-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../audit.ts';
import { NOT_FOUND } from '../http/envelope.ts';
import type { Handlers } from '../http/handler.ts';
import { useOneTime } from '../one-time.ts';
import type { World } from '../world.ts';
import { EMAIL_LINK, sendEmailLink, verifyEmail, waitForEmailLink } from '../email-confirmation.ts';
import { ownId } from './profile.ts';
import { profileOf } from './profile-read.ts';
import { askingBuckets, tooMany } from './recovery-limits.ts';
import { countTry, giveBack } from './throttle.ts';

/** EMAIL-3: an address that its user typed is confirmed by a link that was mailed to it. */
export const emailHandlers = (world: World): Pick<Handlers, keyof typeof emailCalls> => ({
  confirmEmail: ({ token }, ask) =>
    world.store.tenant(ask.tenant, async (tx) => {
      const tried = askingBuckets(ask.ip);
      const outcome = await countTry(tx, tried, ask.now);
      if ('waitMs' in outcome) return failed(tooMany(outcome.waitMs));
      const link = await useOneTime(tx, EMAIL_LINK, token, ask.now);
      const id = link?.user_id ?? null;
      const user = id === null ? undefined : (await tx.rows('user', [id])).get(id);
      if (
        !user ||
        user.deletedAt !== null ||
        !(await verifyEmail(tx, user.id, link?.data['address']))
      )
        return failed({ kind: 'not-found', message: MESSAGES.linkOver });
      await giveBack(tx, tried, ask.now);
      await tx.append(
        [
          {
            event: { type: 'user.changed@1', data: { id: user.id, fields: ['emailVerified'] } },
            company: null,
            entity: `user:${user.id}`,
          },
        ],
        { actor: { is: 'user', id: user.id }, subject: null, commandId: null, at: ask.now },
      );
      await audit(tx, world, ask, { what: 'email.confirmed', user: user.id });
      return ok({});
    }),

  async sendEmailLink({ id }, ask) {
    const signed = ownId(ask, id);
    if (!signed) return failed(NOT_FOUND);
    return world.store.tenant(ask.tenant, async (tx) => {
      await tx.lock(); // of two at once the second counts the first
      const { email, email_verified: verified } = await tx.sql
        .selectFrom('person')
        .select(['email', 'email_verified'])
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', signed.userId)
        .executeTakeFirstOrThrow();
      if (!email || verified)
        return failed({ kind: 'conflict', message: MESSAGES.emailNothingToConfirm });
      const wait = await waitForEmailLink(tx, signed.userId, ask.now);
      if (wait > 0)
        return failed({
          kind: 'too-many',
          message: MESSAGES.emailTooManyLinks,
          retryAfterMs: wait,
        });
      await sendEmailLink(tx, world, ask, signed.userId, email);
      return ok(await profileOf(tx, signed, ask.now));
    });
  },
});
