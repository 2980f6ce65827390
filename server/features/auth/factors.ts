import type { factorCalls } from '#contract/auth/factor-calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { UserId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import { getDirectory } from './directory/get-directory.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { attemptOfSession, beginAttempt, changeAttempt, endAttempt } from './attempts.ts';
import { maskedPhone } from './codes.ts';
import { tellFactor } from './factor-notice.ts';
import {
  creationOptions,
  hasName,
  MAX_PASSKEYS,
  loadPasskeys,
  readNewPasskey,
} from './passkeys.ts';
import { ownedBy, loadPolicy } from './policy.ts';
import type { Owned } from './policy.ts';
import { codesLeft, dropCodes, renewCodes } from './recovery-codes.ts';
import { reauthHandlers } from './reauth.ts';
import { startEnrollment, newChallenge } from './sign-in-step.ts';
import type { FindDirectory } from './sign-in.ts';
import { keepTotp, newSecret, sealForAttempt, stepOfCode, unsealForAttempt } from './totp.ts';

const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };
const conflict = (message: string): Failure => ({ kind: 'conflict', message });
const badCode: Failure = {
  kind: 'bad-input',
  message: MESSAGES.wrongCode,
  issues: [{ path: 'code', message: MESSAGES.wrongCode }],
};

/** A user's authentication factors besides the password. Only the user manages them (FACTOR-4). */
export function factorHandlers(
  context: AppContext,
  find: FindDirectory = getDirectory,
): Pick<Handlers, keyof typeof factorCalls> {
  /** Runs `work` in a transaction for the signed-in user; any other user id returns `NOT_FOUND`. */
  const own = async <T>(
    id: string,
    ctx: SessionContext,
    work: (tx: TenantTx, user: UserId, session: string, key: Buffer) => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const { userId, sessionId } = ctx.session;
    if (id.toLowerCase() !== userId) return failed(NOT_FOUND);
    const key = await context.sessionKey();
    return context.store.tenant(ctx.tenant, (tx) => work(tx, userId, sessionId, key));
  };
  const auditAndNotify = async (
    tx: TenantTx,
    ctx: SessionContext,
    user: UserId,
    what: 'added' | 'removed',
    factor: 'totp' | 'passkey' | 'sms',
  ): Promise<void> => {
    await audit(tx, context, ctx, { what: `factor.${what}`, user, detail: { factor } });
    await tellFactor(tx, context, user, `${factor}-${what}`);
  };
  const fresh = async (
    tx: TenantTx,
    ctx: SessionContext,
    user: UserId,
    key: Buffer,
  ): Promise<string[]> => {
    await audit(tx, context, ctx, { what: 'recovery-codes.made', user });
    return renewCodes(tx, context.chance, key, user);
  };

  return {
    ...reauthHandlers(context, find),

    getFactors: ({ id }, ctx) =>
      own(id, ctx, async (tx, user) => {
        const owned = await ownedBy(tx, user);
        const totp = await tx.sql
          .selectFrom('totp')
          .select('confirmed_at')
          .where('tenant_id', '=', tx.tenant)
          .where('user_id', '=', user)
          .executeTakeFirst();
        const passkeys = await loadPasskeys(tx, user);
        return ok({
          policy: await loadPolicy(tx),
          totp: typeof totp?.confirmed_at === 'number' ? { since: totp.confirmed_at } : null,
          passkeys: passkeys.map((one) => ({
            key: one.id,
            name: one.name,
            madeAt: one.made_at,
            usedAt: one.used_at,
          })),
          recoveryCodesLeft: await codesLeft(tx, user),
          phone: owned.phone === null ? null : maskedPhone(owned.phone),
          sms: owned.smsAsked,
        });
      }),

    beginTotp: ({ id }, ctx) =>
      own(id, ctx, async (tx, user, session) => {
        const secret = newSecret(context.chance);
        const state = { session };
        const { attempt } = await beginAttempt(
          tx,
          context,
          { kind: 'totp-new', userId: user, state },
          ctx.now,
        );
        await changeAttempt(tx, attempt, {
          state: { ...state, enrol: await sealForAttempt(tx, context, attempt.id, secret) },
        });
        return ok(await startEnrollment(tx, user, secret));
      }),

    confirmTotp: ({ id, code }, ctx) =>
      own(id, ctx, async (tx, user, session, key) => {
        const attempt = await attemptOfSession(tx, 'totp-new', user, session, ctx.now);
        if (attempt?.state.enrol === undefined) return failed(conflict(MESSAGES.setUpOver));
        const secret = await unsealForAttempt(tx, context, attempt.id, attempt.state.enrol);
        const step = stepOfCode(secret, code, ctx.now, 0);
        if (step === null) return failed(badCode);
        await endAttempt(tx, attempt.id, ctx.now);
        await keepTotp(tx, context, user, secret, step, ctx.now);
        await auditAndNotify(tx, ctx, user, 'added', 'totp');
        return ok({ recoveryCodes: await fresh(tx, ctx, user, key) });
      }),

    removeTotp: ({ id }, ctx) =>
      own(id, ctx, async (tx, user) => {
        await oneAtATime(tx, user);
        const owned = await ownedBy(tx, user);
        if (!owned.totp) return failed(NOT_FOUND);
        if (!owned.passkey && (await loadPolicy(tx)) === 'strong')
          return failed(conflict(MESSAGES.lastFactor));
        await tx.sql
          .deleteFrom('totp')
          .where('tenant_id', '=', tx.tenant)
          .where('user_id', '=', user)
          .execute();
        await withoutUse(tx, user);
        await auditAndNotify(tx, ctx, user, 'removed', 'totp');
        return ok({});
      }),

    renewRecoveryCodes: ({ id }, ctx) =>
      own(id, ctx, async (tx, user, _, key) => {
        if (!hasBetter(await ownedBy(tx, user))) return failed(conflict(MESSAGES.noFactorYet));
        await tellFactor(tx, context, user, 'codes-made');
        return ok({ codes: await fresh(tx, ctx, user, key) });
      }),

    setSms: ({ id, on }, ctx) =>
      own(id, ctx, async (tx, user) => {
        const { phone, smsAsked: smsRequested } = await ownedBy(tx, user);
        if (on && phone === null) return failed(conflict(MESSAGES.noPhoneYet));
        if (on === smsRequested) return ok({});
        const { settings } = await tx.sql
          .selectFrom('person')
          .select('settings')
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', user)
          .forUpdate()
          .executeTakeFirstOrThrow();
        await tx.sql
          .updateTable('person')
          .set({ settings: JSON.stringify({ ...settings, sms: on }) })
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', user)
          .execute();
        await auditAndNotify(tx, ctx, user, on ? 'added' : 'removed', 'sms');
        return ok({});
      }),

    passkeyOptions: ({ id }, ctx) =>
      own(id, ctx, async (tx, user, session) => {
        if (!hasName(ctx.host)) return failed(conflict(MESSAGES.passkeyNeedsName));
        if ((await loadPasskeys(tx, user)).length >= MAX_PASSKEYS)
          return failed(conflict(MESSAGES.passkeysFull));
        const challenge = newChallenge(context);
        await beginAttempt(
          tx,
          context,
          { kind: 'passkey-new', userId: user, state: { challenge, session } },
          ctx.now,
        );
        const { username, name } = await tx.sql
          .selectFrom('person')
          .select(['username', 'name'])
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', user)
          .executeTakeFirstOrThrow();
        const { branding } = await tx.sql
          .selectFrom('provider')
          .select('branding')
          .where('tenant_id', '=', tx.tenant)
          .executeTakeFirstOrThrow();
        return ok({
          options: await creationOptions(tx, ctx.host, challenge, {
            user,
            username,
            name,
            provider: branding.name,
          }),
        });
      }),

    addPasskey: ({ id, name, response }, ctx) =>
      own(id, ctx, async (tx, user, session, key) => {
        const { now, host } = ctx;
        const attempt = await attemptOfSession(tx, 'passkey-new', user, session, now);
        const challenge = attempt?.state.challenge;
        if (!attempt || challenge === undefined) return failed(conflict(MESSAGES.setUpOver));
        await endAttempt(tx, attempt.id, now);
        const made = await readNewPasskey({ host, challenge, response, now });
        if (!made)
          return failed({
            kind: 'bad-input',
            message: MESSAGES.passkeyNotMade,
            issues: [{ path: 'response', message: MESSAGES.passkeyNotMade }],
          });
        if ((await loadPasskeys(tx, user)).length >= MAX_PASSKEYS)
          return failed(conflict(MESSAGES.passkeysFull));
        const stored = await tx.sql
          .insertInto('passkey')
          .values({
            tenant_id: tx.tenant,
            id: made.id,
            user_id: user,
            public_key: made.publicKey,
            counter: made.counter,
            transports: JSON.stringify(made.transports),
            name,
            made_at: now,
            used_at: null,
          })
          .onConflict((on) => on.columns(['tenant_id', 'id']).doNothing())
          .returning('id')
          .executeTakeFirst();
        if (!stored) return failed(conflict(MESSAGES.passkeyNotMade));
        await auditAndNotify(tx, ctx, user, 'added', 'passkey');
        return ok({
          key: made.id,
          recoveryCodes: (await codesLeft(tx, user)) === 0 ? await fresh(tx, ctx, user, key) : null,
        });
      }),

    removePasskey: ({ id, key }, ctx) =>
      own(id, ctx, async (tx, user) => {
        await oneAtATime(tx, user);
        const passkeys = await loadPasskeys(tx, user);
        if (!passkeys.some((one) => one.id === key)) return failed(NOT_FOUND);
        if (
          passkeys.length === 1 &&
          !(await ownedBy(tx, user)).totp &&
          (await loadPolicy(tx)) === 'strong'
        )
          return failed(conflict(MESSAGES.lastFactor));
        await tx.sql
          .deleteFrom('passkey')
          .where('tenant_id', '=', tx.tenant)
          .where('user_id', '=', user)
          .where('id', '=', key)
          .execute();
        await withoutUse(tx, user);
        await auditAndNotify(tx, ctx, user, 'removed', 'passkey');
        return ok({});
      }),
  };
}

const hasBetter = ({ totp, passkey }: Owned): boolean => totp || passkey;

/** Serializes concurrent removals, so that the second one sees the result of the first. */
const oneAtATime = ({ tenant, sql }: TenantTx, user: UserId): Promise<unknown> =>
  sql
    .selectFrom('person')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('id', '=', user)
    .forUpdate()
    .executeTakeFirst();

/**
 * Recovery codes replace an authenticator or a passkey, so they are deleted when neither is left.
 */
async function withoutUse(tx: TenantTx, user: UserId): Promise<void> {
  if (!hasBetter(await ownedBy(tx, user))) await dropCodes(tx, user);
}
