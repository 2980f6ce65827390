import type { UserId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { endUserKeys } from '../../platform/auth/api-keys.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { UserDirectory } from '../auth/directory/directory.ts';
import { getDirectory } from '../auth/directory/get-directory.ts';
import { revokeFactors } from '../auth/revoke-factors.ts';
import { revokeSessions } from '../../platform/auth/revoke-sessions.ts';
import { busyFor } from '../../platform/http/envelope.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import { releaseSlotDuring } from '../../platform/http/concurrency.ts';
import {
  loadMeasure,
  findPasswordError,
  passwordRefused,
} from '../../platform/crypto/password-rules.ts';
import { hashPassword } from '../../platform/crypto/passwords.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { by, NOT_YOURSELF } from '../../platform/auth/guards.ts';
import { tellOfFactors, tellOfPassword } from './invite.ts';
import { userEvent, changeUser, notDeletable } from './users.ts';
import { userMessages as t } from './messages.en.ts';

/** Returns a provider's directory. It is a parameter so that tests can replace it. */
export type DirectoryFrom = (tx: TenantTx, context: AppContext) => Promise<UserDirectory | null>;

/** Ends a user's password, their second factors, or the whole account. */
export const userEndHandlers = (
  context: AppContext,
  directoryFrom: DirectoryFrom = getDirectory,
): Pick<Handlers, 'removeUser' | 'resetFactors' | 'setPasswordDb' | 'setPasswordAd'> => ({
  removeUser: ({ id }, ctx) =>
    changeUser(context, ctx, id, async (tx, user) => {
      const refused = await notDeletable(tx, ctx, user);
      if (refused) return refused;
      await tx.append([userEvent(id, { type: 'user.removed@1', data: { id } })], by(ctx));
      await audit(tx, context, ctx, { what: 'user.removed', user: id });
      await forget(tx, id);
      return ok({});
    }),

  resetFactors: ({ id }, ctx) =>
    changeUser(context, ctx, id, async (tx) => {
      const { userId, actor } = ctx.session;
      // Users manage their own factors on their profile page, under its rules.
      if (id === userId || id === actor) return NOT_YOURSELF;
      const had = await revokeFactors(tx, id, ctx.now);
      await tx.append(
        [userEvent(id, { type: 'user.updated@1', data: { id, fields: ['factors'] } })],
        by(ctx),
      );
      await revokeSessions(tx, id, ctx.now);
      await endUserKeys(tx, context, ctx, id, true);
      await audit(tx, context, ctx, {
        what: 'factors.reset',
        user: id,
        detail: { factors: had.join(', ') },
      });
      const { email } = await tx.sql
        .selectFrom('person')
        .select('email')
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (email !== null) await tellOfFactors(tx, context, id, email);
      return ok({});
    }),

  async setPasswordDb({ id, password }, ctx) {
    const checked = await changeUser(context, ctx, id, async (tx) => {
      const refused = await notSettable(tx, ctx, id, 'db');
      if (refused) return refused;
      const error = findPasswordError(password, await loadMeasure(tx, id));
      return error === null ? ok(null) : failed(passwordRefused(error, 'password'));
    });
    if (!checked.ok) return checked;
    const hashing = hashPassword(password);
    if (!hashing) return failed(busyFor(1_000));
    const password_hash = await hashing;
    return changeUser(context, ctx, id, async (tx) => {
      const refused = await notSettable(tx, ctx, id, 'db');
      if (refused) return refused;
      await tx.sql
        .updateTable('person')
        .set({ password_hash, password_reset: true, password_at: ctx.now })
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', id)
        .execute();
      return wasSet(context, tx, ctx, id);
    });
  },

  /** The directory is called outside of any transaction because it can take seconds. */
  async setPasswordAd({ id, password }, ctx) {
    const found = await changeUser(context, ctx, id, async (tx) => {
      const refused = await notSettable(tx, ctx, id, 'ad');
      if (refused) return refused;
      const { username } = await tx.sql
        .selectFrom('person')
        .select('username')
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return ok({ username, directory: await directoryFrom(tx, context) });
    });
    if (!found.ok) return found;
    const { username, directory } = found.value;
    const outcome = directory
      ? await releaseSlotDuring(() => directory.reset(username, password, true))
      : { kind: 'unreachable' as const };
    switch (outcome.kind) {
      case 'refused':
        return failed(passwordRefused(MESSAGES.passwordPolicy, 'password'));
      case 'wrong':
      case 'unreachable':
        return failed({ ...busyFor(5_000), message: MESSAGES.noDirectory });
      case 'unknown':
        return failed({ kind: 'conflict', message: MESSAGES.changePassword });
      case 'done':
        return changeUser(context, ctx, id, (tx) => wasSet(context, tx, ctx, id));
    }
  },
});

/**
 * Returns why the user's password cannot be set here; null if it can. Users change their own
 * password on their profile page, with the current one.
 */
async function notSettable(
  tx: TenantTx,
  ctx: SessionContext,
  id: UserId,
  auth: 'db' | 'ad',
): Promise<Result<never> | null> {
  const { userId, actor } = ctx.session;
  if (id === userId || id === actor) return NOT_YOURSELF;
  const person = await tx.sql
    .selectFrom('person')
    .select('auth')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return person.auth === auth
    ? null
    : failed({
        kind: 'conflict',
        message: auth === 'db' ? t.passwordInDirectory : t.notInDirectory,
      });
}

async function wasSet(
  context: AppContext,
  tx: TenantTx,
  ctx: SessionContext,
  id: UserId,
): Promise<Result<Record<string, never>>> {
  await tx.append(
    [userEvent(id, { type: 'user.updated@1', data: { id, fields: ['password'] } })],
    by(ctx),
  );
  await revokeSessions(tx, id, ctx.now);
  await endUserKeys(tx, context, ctx, id, true);
  // A link that was already sent can no longer set a password.
  await tx.sql
    .deleteFrom('one_time')
    .where('tenant_id', '=', tx.tenant)
    .where('user_id', '=', id)
    .execute();
  await audit(tx, context, ctx, { what: 'password.set', user: id });
  const { email } = await tx.sql
    .selectFrom('person')
    .select('email')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (email !== null) await tellOfPassword(tx, context, id, email);
  return ok({});
}

/** Deletes all of a user's data outside the log. The audit log keeps the id. */
async function forget({ tenant, sql }: TenantTx, id: UserId): Promise<void> {
  for (const table of [
    'session',
    'trusted_device',
    'totp',
    'recovery_code',
    'passkey',
    'identity',
    'security_answer',
    'one_time',
    'attempt',
    'api_key',
    'notification_ack',
    'support_request',
    'notify_setting',
    'push_device',
  ] as const) {
    await sql.deleteFrom(table).where('tenant_id', '=', tenant).where('user_id', '=', id).execute();
  }
  await sql
    .deleteFrom('session')
    .where('tenant_id', '=', tenant)
    .where('actor_id', '=', id)
    .execute();
  await sql.deleteFrom('person').where('tenant_id', '=', tenant).where('id', '=', id).execute();
}
