import type { profileCalls } from '#contract/auth/profile-calls.ts';
import { QUESTIONS } from '#contract/auth/recovery-questions.ts';
import type { ParsedInputOf } from '#contract/calls.ts';
import type { Failure, Issue } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import { by } from '../../platform/auth/guards.ts';
import { getDirectory } from './directory/get-directory.ts';
import { forgetSessions } from '../../platform/auth/revoke-sessions.ts';
import { busyFor, NOT_FOUND } from '../../platform/http/envelope.ts';
import type { SessionContext, Handlers, Principal } from '../../platform/http/handler.ts';
import { releaseSlotDuring } from '../../platform/http/concurrency.ts';
import {
  loadMeasure,
  findPasswordError,
  passwordRefused,
} from '../../platform/crypto/password-rules.ts';
import { checkPassword, hashPassword } from '../../platform/crypto/passwords.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { tellChange } from './mails.ts';
import { passwordChosen } from './password-set.ts';
import { ownId } from './profile.ts';
import { normalAnswer } from './recovery-questions.ts';
import type { TriedBucket } from './rate-limit.ts';
import { ACCOUNT_RULE, countTry, forgive, tooMany } from './rate-limit.ts';

const WRONG: Failure = { kind: 'wrong-credentials', message: MESSAGES.currentPassword };
const FAILED: Failure = { kind: 'conflict', message: MESSAGES.changePassword };
const NO_DIRECTORY: Failure = { ...busyFor(5_000), message: MESSAGES.noDirectory };

/** This bucket stops someone at an open session from guessing the password. */
const getBucket = (userId: string): TriedBucket => ({
  name: `present-password:${userId}`,
  rule: { ...ACCOUNT_RULE, max: null },
});

type Owned = Pick<
  Handlers,
  Extract<
    keyof typeof profileCalls,
    'changePasswordAd' | 'changePasswordDb' | 'setSecurityQuestions'
  >
>;

/** PROFILE-4: changing a password requires the current one; PROFILE-6: security questions. */
export function passwordHandlers(
  context: AppContext,
  directoryFrom: typeof getDirectory = getDirectory,
): Owned {
  return {
    changePasswordDb: (input, ctx) =>
      change(input, ctx, 'db', async ({ stored, session }) => {
        const checking = checkPassword(stored, input.currentPassword);
        if (checking === null) return failed(tooMany(1_000));
        if (!(await checking)) return failed(WRONG);
        const error = findPasswordError(
          input.newPassword,
          await context.store.tenant(ctx.tenant, (tx) => loadMeasure(tx, session.userId), {
            readOnly: true,
          }),
        );
        if (error !== null) return failed(passwordRefused(error));
        if (input.newPassword === input.currentPassword)
          return failed(passwordRefused(MESSAGES.passwordSame));
        const hashing = hashPassword(input.newPassword);
        return hashing ? ok(await hashing) : failed(tooMany(1_000));
      }),

    changePasswordAd: (input, ctx) =>
      change(input, ctx, 'ad', async ({ username }) => {
        // The directory is called outside of any transaction because it can take seconds.
        const directory = await context.store.tenant(ctx.tenant, (tx) =>
          directoryFrom(tx, context),
        );
        if (!directory) return failed(NO_DIRECTORY);
        const outcome = await releaseSlotDuring(() =>
          directory.change(username, input.currentPassword, input.newPassword),
        );
        switch (outcome.kind) {
          case 'done':
            return ok(null);
          case 'wrong':
            return failed(WRONG);
          case 'unreachable':
            return failed(NO_DIRECTORY);
          case 'unknown':
            return failed(FAILED);
          case 'refused':
            return failed({
              kind: 'wrong-credentials',
              message: outcome.message.includes('WILL_NOT_PERFORM')
                ? outcome.message
                : `WILL_NOT_PERFORM: ${outcome.message}`,
            });
        }
      }),

    async setSecurityQuestions({ id, answers }, ctx) {
      const session = ownId(ctx, id);
      if (!session) return failed(NOT_FOUND);
      const error = findAnswersFailure(answers);
      if (error) return failed(error);
      const hashes: string[] = [];
      for (const { answer } of answers) {
        const hashing = hashPassword(normalAnswer(answer));
        if (!hashing) return failed(tooMany(1_000));
        hashes.push(await hashing);
      }
      await context.store.tenant(ctx.tenant, async (tx) => {
        const { tenant, sql } = tx;
        await sql
          .deleteFrom('security_answer')
          .where('tenant_id', '=', tenant)
          .where('user_id', '=', session.userId)
          .execute();
        await sql
          .insertInto('security_answer')
          .values(
            answers.map(({ question }, at) => ({
              tenant_id: tenant,
              user_id: session.userId,
              question,
              hash: hashes[at] ?? '',
            })),
          )
          .execute();
        const { email } = await sql
          .updateTable('person')
          .set({ force_questions: false })
          .where('tenant_id', '=', tenant)
          .where('id', '=', session.userId)
          .returning('email')
          .executeTakeFirstOrThrow();
        await record(tx, ctx, 'questions.set', 'securityQuestions');
        await tellChange(tx, context, session.userId, email, 'questions');
      });
      return ok({});
    },
  };

  /**
   * `next` verifies the current password and returns the hash of the new one; null if the password
   * is stored elsewhere.
   */
  async function change(
    { id }: ParsedInputOf<'changePasswordDb'>,
    ctx: SessionContext,
    auth: 'ad' | 'db',
    next: (of: {
      readonly session: Principal;
      readonly username: string;
      readonly stored: string | null;
    }) => Promise<Result<string | null>>,
  ): Promise<Result<object>> {
    const session = ownId(ctx, id);
    if (!session) return failed(NOT_FOUND);
    const { tenant, now } = ctx;
    const bucket = getBucket(session.userId);
    const found = await context.store.tenant(tenant, async (tx) => {
      const person = await tx.sql
        .selectFrom('person')
        .select(['username', 'password_hash', 'auth'])
        .where('tenant_id', '=', tenant)
        .where('id', '=', session.userId)
        .executeTakeFirstOrThrow();
      if (person.auth !== auth) return failed(FAILED);
      const outcome = await countTry(tx, [bucket], now);
      return 'waitMs' in outcome ? failed(tooMany(outcome.waitMs)) : ok(person);
    });
    if (!found.ok) return found;
    const chosen = await next({
      session,
      username: found.value.username,
      stored: found.value.password_hash,
    });
    if (!chosen.ok) {
      // A refusal for another reason than a wrong password is not counted as a guess.
      if (chosen.failure !== WRONG)
        await context.store.tenant(tenant, (tx) => forgive(tx, [bucket], bucket, now));
      return chosen;
    }
    const { email } = await context.store.tenant(tenant, async (tx) => {
      await forgive(tx, [bucket], bucket, now);
      await passwordChosen(tx, session.userId, chosen.value, now, session.sessionId);
      // This session continues with new tokens: its access token ends now, and the next refresh
      // returns another (PROFILE-4).
      await tx.sql
        .updateTable('session')
        .set({ access_until: now })
        .where('tenant_id', '=', tenant)
        .where('id', '=', session.sessionId)
        .execute();
      await record(tx, ctx, 'password.changed', 'password');
      const person = await tx.sql
        .selectFrom('person')
        .select('email')
        .where('tenant_id', '=', tenant)
        .where('id', '=', session.userId)
        .executeTakeFirstOrThrow();
      await tellChange(tx, context, session.userId, person.email, 'password');
      return person;
    });
    forgetSessions(context, tenant);
    context.log.info('a password was changed', {
      tenant,
      user: session.userId,
      told: email !== null,
    });
    return ok({});
  }

  async function record(
    tx: TenantTx,
    ctx: SessionContext,
    what: string,
    field: string,
  ): Promise<void> {
    const { userId } = ctx.session;
    await audit(tx, context, ctx, { what, user: userId });
    await tx.append(
      [
        {
          event: { type: 'user.updated@1', data: { id: userId, fields: [field] } },
          company: null,
          entity: `user:${userId}`,
        },
      ],
      by(ctx),
    );
  }
}

/**
 * Requires three different questions of the catalog, with different answers that their question
 * does not give away.
 */
function findAnswersFailure(
  answers: ParsedInputOf<'setSecurityQuestions'>['answers'],
): Failure | null {
  const issues = answers.flatMap(({ question, answer }, at): Issue[] => {
    const normal = normalAnswer(answer);
    const others = answers.filter((_, other) => other !== at);
    if (
      !(QUESTIONS as readonly string[]).includes(question) ||
      others.some((other) => other.question === question)
    )
      return [{ path: `answers.${at}.question`, message: MESSAGES.questionNotValid }];
    if (Array.from(normal).length < 3 || normalAnswer(question).includes(normal))
      return [{ path: `answers.${at}.answer`, message: MESSAGES.answerTooShort }];
    return others.some((other) => normalAnswer(other.answer) === normal)
      ? [{ path: `answers.${at}.answer`, message: MESSAGES.answerTwice }]
      : [];
  });
  return issues.length === 0
    ? null
    : { kind: 'bad-input', message: issues[0]?.message ?? MESSAGES.badInput, issues };
}
