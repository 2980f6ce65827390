import type { recoveryCalls } from '#contract/auth/recovery-calls.ts';
import type { UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { endUserKeys } from '../../platform/auth/api-keys.ts';
import { audit } from '../../platform/auth/audit.ts';
import { loadBranding } from '../../platform/tenancy/branding.ts';
import { getDirectory } from './directory/get-directory.ts';
import { forgetSessions } from '../../platform/auth/revoke-sessions.ts';
import { toInputFailure } from '../../platform/http/body.ts';
import { busyFor } from '../../platform/http/envelope.ts';
import type { RequestContext, Handlers } from '../../platform/http/handler.ts';
import { releaseSlotDuring } from '../../platform/http/concurrency.ts';
import {
  loadMeasure,
  findPasswordError,
  passwordRefused,
} from '../../platform/crypto/password-rules.ts';
import { hashPassword } from '../../platform/crypto/passwords.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { usernameKey } from '../../platform/auth/usernames.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { attemptCookie, noAttempt } from '../../platform/auth/cookie.ts';
import { verifyEmail } from '../../platform/auth/email-confirmation.ts';
import { tellChange } from './mails.ts';
import { passwordChosen } from './password-set.ts';
import { beginRecovery, giveBackRecovery, provenRecovery, useRecovery } from './recovery-code.ts';
import { askingBuckets, recoveryBuckets } from './recovery-limits.ts';
import { asksQuestions, loadQuestions, rightAnswers } from './recovery-questions.ts';
import { countTry, endFailures, tooMany } from './rate-limit.ts';
import { authMessages } from './messages.en.ts';

type ByCode = Pick<
  Handlers,
  Exclude<
    keyof typeof recoveryCalls,
    'forgotPassword' | 'checkPasswordLink' | 'checkPasswordLinkSent' | 'changePasswordByLink'
  >
>;

/** Recovery with a code (RECOVER-1 to RECOVER-4). It opens no session. */
export function recoveryHandlers(
  context: AppContext,
  directoryFrom: typeof getDirectory = getDirectory,
): ByCode {
  return {
    async validateUsername({ username }, ctx) {
      const name = usernameKey(username);
      if (!NAME.test(name))
        return failed({
          ...toInputFailure('username', authMessages.usernameExpected),
          message: MESSAGES.invalidUsername,
        });
      const key = await context.sessionKey();
      return context.store.tenant(ctx.tenant, async (tx) => {
        const outcome = await countTry(tx, askingBuckets(ctx.ip), ctx.now);
        if ('waitMs' in outcome) return failed(tooMany(outcome.waitMs));
        const { authType } = await loadBranding(tx);
        const person = await loadPerson(tx, name);
        const stored = await loadQuestions(tx, key, name, person?.id);
        return ok({
          authType,
          questions: (await asksQuestions(tx)) ? stored.map(({ question }) => question) : [],
        });
      });
    },

    async validateAnswers({ username, answers }, ctx) {
      const key = await context.sessionKey();
      const name = usernameKey(username);
      const found = await context.store.tenant(ctx.tenant, async (tx) => {
        const outcome = await countTry(tx, recoveryBuckets(name, ctx.ip), ctx.now);
        if ('waitMs' in outcome) return failed(tooMany(outcome.waitMs));
        const person = await loadPerson(tx, name);
        return ok({
          person,
          kept: (await asksQuestions(tx)) ? await loadQuestions(tx, key, name, person?.id) : null,
        });
      });
      if (!found.ok) return found;
      const { person, kept: stored } = found.value;
      const right = stored === null ? answers.length === 0 : await rightAnswers(stored, answers);
      if (right === null) return failed(tooMany(1_000));
      if (!right) {
        context.log.warn('security answers were refused', { tenant: ctx.tenant, ip: ctx.ip });
        return failed({ kind: 'wrong-credentials', message: MESSAGES.invalidAnswers });
      }
      const { token, until } = await context.store.tenant(ctx.tenant, (tx) =>
        beginRecovery(tx, context, key, ctx, name, person),
      );
      ctx.answer.append('set-cookie', attemptCookie(token, LIMITS.attemptMs));
      return ok({ until });
    },

    async unlockAccount({ code }, ctx) {
      const key = await context.sessionKey();
      const proven = await context.store.tenant(ctx.tenant, async (tx) => {
        const checked = await provenRecovery(tx, key, ctx, code, MESSAGES.notUnlocked);
        return checked.ok
          ? ok({
              ...checked.value,
              ...(await loadAccount(tx, checked.value.userId, directoryFrom)),
            })
          : checked;
      });
      if (!proven.ok) return proven;
      const { attempt, userId, mailedTo, username, email, auth, directory } = proven.value;
      if (auth === 'ad') {
        const outcome = directory
          ? await releaseSlotDuring(() => directory.unlock(username))
          : undefined;
        if (outcome?.kind !== 'done')
          return failed(
            outcome?.kind === 'unknown'
              ? { kind: 'conflict', message: MESSAGES.notUnlocked }
              : NO_DIRECTORY,
          );
      }
      return finished(ctx, attempt, MESSAGES.notUnlocked, async (tx) => {
        await endFailures(tx, usernameKey(username), userId);
        await verifyEmail(tx, userId, mailedTo);
        await audit(tx, context, ctx, { what: 'account.unlocked', user: userId });
        await tellChange(tx, context, userId, email, 'unlocked');
      });
    },

    async resetPassword({ code, newPassword }, ctx) {
      const key = await context.sessionKey();
      const proven = await context.store.tenant(ctx.tenant, async (tx) => {
        const checked = await provenRecovery(tx, key, ctx, code, MESSAGES.resetPassword);
        if (!checked.ok) return checked;
        const account = await loadAccount(tx, checked.value.userId, directoryFrom);
        const error =
          account.auth === 'db'
            ? findPasswordError(newPassword, await loadMeasure(tx, checked.value.userId))
            : null;
        return error === null
          ? ok({ ...checked.value, ...account })
          : failed(passwordRefused(error));
      });
      if (!proven.ok) return proven;
      const { attempt, userId, mailedTo, username, email, auth, directory } = proven.value;
      const done = async (tx: TenantTx, hash: string | null): Promise<void> => {
        await passwordChosen(tx, userId, hash, ctx.now);
        await verifyEmail(tx, userId, mailedTo);
        await endUserKeys(tx, context, ctx, userId, true);
        await audit(tx, context, ctx, {
          what: 'password.reset',
          user: userId,
          detail: { by: 'code' },
        });
        await tellChange(tx, context, userId, email, 'password');
      };
      if (auth === 'db') {
        const hashing = hashPassword(newPassword);
        if (!hashing) return failed(tooMany(1_000));
        const hash = await hashing;
        return finished(ctx, attempt, MESSAGES.resetPassword, (tx) => done(tx, hash));
      }
      if (!directory) return failed(NO_DIRECTORY);
      if (!(await context.store.tenant(ctx.tenant, (tx) => useRecovery(tx, attempt, ctx.now))))
        return failed({ kind: 'conflict', message: MESSAGES.resetPassword });
      const outcome = await releaseSlotDuring(() => directory.reset(username, newPassword, false));
      if (outcome.kind !== 'done') {
        await context.store.tenant(ctx.tenant, (tx) => giveBackRecovery(tx, attempt));
        if (outcome.kind === 'refused') return failed(passwordRefused(MESSAGES.passwordPolicy));
        return failed(
          outcome.kind === 'unreachable'
            ? NO_DIRECTORY
            : { kind: 'conflict', message: MESSAGES.resetPassword },
        );
      }
      await context.store.tenant(ctx.tenant, (tx) => done(tx, null));
      forgetSessions(context, ctx.tenant);
      ctx.answer.append('set-cookie', noAttempt);
      return ok({});
    },
  };

  /** Uses up the attempt and makes its change, in one transaction. */
  async function finished(
    ctx: RequestContext,
    attempt: string,
    message: string,
    work: (tx: TenantTx) => Promise<void>,
  ): Promise<Result<object>> {
    const result = await context.store.tenant(ctx.tenant, async (tx) => {
      if (!(await useRecovery(tx, attempt, ctx.now))) return failed({ kind: 'conflict', message });
      await work(tx);
      return ok({});
    });
    forgetSessions(context, ctx.tenant);
    if (result.ok) ctx.answer.append('set-cookie', noAttempt);
    return result;
  }

  async function loadAccount(tx: TenantTx, userId: UserId, from: typeof getDirectory) {
    const person = await tx.sql
      .selectFrom('person')
      .select(['username', 'email', 'auth'])
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', userId)
      .executeTakeFirstOrThrow();
    return { ...person, directory: person.auth === 'ad' ? await from(tx, context) : null };
  }
}

/** A name can use any script, but no control characters such as line breaks. */
const NAME = new RegExp(`^\\P{Cc}{1,${LIMITS.nameChars}}$`, 'u');
const NO_DIRECTORY = { ...busyFor(5_000), message: MESSAGES.noDirectory };

/** Returns the active user of this name. An unknown name takes the same two queries. */
async function loadPerson(tx: TenantTx, name: string) {
  const person = await tx.sql
    .selectFrom('person')
    .select(['id', 'email', 'mobile_phone', 'auth'])
    .where('tenant_id', '=', tx.tenant)
    .where('username_key', '=', name)
    .executeTakeFirst();
  const user = (await tx.rows('user', [person?.id ?? NOBODY])).get(person?.id ?? NOBODY);
  return user && user.deletedAt === null ? person : undefined;
}
const NOBODY = '00000000-0000-0000-0000-000000000000';
