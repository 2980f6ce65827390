import type { ParsedInputOf } from '#contract/calls.ts';
import type { NewEvent } from '#contract/events.ts';
import type { CompanyN, UserId } from '#contract/ids.ts';
import { hasAuthorityOver, isAdministrator, seesUser } from '#contract/users/authority.ts';
import type { UserRights } from '#contract/users/authority.ts';
import type { UserRow } from '#contract/users/rows.ts';
import type { UserListed } from '#contract/users/calls.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { endUserKeys } from '../../platform/auth/api-keys.ts';
import { audit } from '../../platform/auth/audit.ts';
import { endEmailLinks, sendEmailLink } from '../../platform/auth/email-confirmation.ts';
import { revokeSessions, forgetSessions } from '../../platform/auth/revoke-sessions.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import { busyFor } from '../../platform/http/envelope.ts';
import { endLinks } from '../../platform/crypto/one-time-secrets.ts';
import {
  measureOfNew,
  findPasswordError,
  passwordRefused,
} from '../../platform/crypto/password-rules.ts';
import { hashPassword } from '../../platform/crypto/passwords.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { isPlainUsername, isUsernameTaken, usernameKey } from '../../platform/auth/usernames.ts';
import type { AppContext } from '../../platform/app-context.ts';
import {
  badField,
  by,
  FORBIDDEN_RESULT,
  isFresh,
  LAST_ADMINISTRATOR,
  NOT_FOUND_RESULT,
  NOT_YOURSELF,
  REAUTH,
  USERNAME_TAKEN,
  usernameNotPlain,
} from '../../platform/auth/guards.ts';
import { invite, tellOfNewAddress, tellOfNewUsername, tellOfSms } from './invite.ts';
import { userListed } from './user-list.ts';
import { userMessages as t } from './messages.en.ts';

type Fields = Omit<ParsedInputOf<'editUser'>, 'id' | 'email'> & { readonly email?: string };
const MAX_ACCOUNTS = 200;

export const userHandlers = (
  context: AppContext,
): Pick<
  Handlers,
  'createUser' | 'editUser' | 'deleteUser' | 'addUserAccount' | 'removeUserAccount'
> => ({
  async createUser({ password, invite: byMail = false, ...fields }, ctx) {
    const { session } = ctx;
    if (
      fields.auth === 'ad' ? password !== undefined || byMail : (password === undefined) !== byMail
    )
      return badField(
        'password',
        fields.auth === 'ad' ? t.passwordInDirectory : t.passwordOrInvitation,
      );
    if (fields.sms === true && (fields.mobilePhone ?? null) === null)
      return badField('sms', t.phoneMissing);
    if (!hasAuthorityOver(session, fields)) return FORBIDDEN_RESULT;
    if (!isPlainUsername(fields.username)) return usernameNotPlain();
    let password_hash: string | null = null;
    if (password !== undefined) {
      const error = await context.store.tenant(
        ctx.tenant,
        async (tx) => findPasswordError(password, await measureOfNew(tx, fields)),
        { readOnly: true },
      );
      if (error !== null) return failed(passwordRefused(error, 'password'));
      const hashing = hashPassword(password);
      if (!hashing) return failed(busyFor(1_000));
      password_hash = await hashing;
    }
    return context.store.tenant(ctx.tenant, async (tx) => {
      await tx.lock();
      if (!(await areCompanies(tx, fields.companies))) return NOT_FOUND_RESULT;
      if (await isUsernameTaken(tx, fields.username, null)) return USERNAME_TAKEN;
      const id = context.chance.uuid() as UserId;
      const { username, name, email, auth, roles, companies } = fields;
      await tx.append(
        [
          userEvent(id, {
            type: 'user.created@1',
            data: { id, roles: once(roles), companies: companies && once(companies) },
          }),
        ],
        by(ctx),
      );
      await tx.sql
        .insertInto('person')
        .values({
          tenant_id: tx.tenant,
          id,
          username,
          username_key: usernameKey(username),
          name,
          email,
          password_hash,
          auth,
          password_reset: password_hash !== null,
          password_at: password_hash === null ? null : ctx.now,
          ...getColumns(fields),
          settings: JSON.stringify(getSettings(fields)),
        })
        .execute();
      await audit(tx, context, ctx, { what: 'user.made', user: id, detail: { invited: byMail } });
      if (byMail) await invite(tx, context, ctx, { id, name, email });
      return await shown(tx, ctx, id);
    });
  },

  editUser: ({ id, email: typed, ...rest }, ctx) =>
    changeUser(context, ctx, id, async (tx, user) => {
      const { session } = ctx;
      const own = id === session.userId;
      const person = await tx.sql
        .selectFrom('person')
        .selectAll()
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (typed === null && person.email !== null) return badField('email', t.emailMissing);
      const fields: Fields =
        typed === null || typed === undefined ? rest : { ...rest, email: typed };
      const next: UserRights = {
        roles: once(fields.roles ?? user.roles),
        companies:
          fields.companies === undefined
            ? user.companies
            : fields.companies && once(fields.companies),
      };
      const moved = !same(next.roles, user.roles) || !same(next.companies, user.companies);
      if (moved) {
        if (own) return NOT_YOURSELF;
        if (!hasAuthorityOver(session, next)) return FORBIDDEN_RESULT;
        if (isWider(next, user) && !isFresh(ctx)) return REAUTH;
        if (!(await areCompanies(tx, next.companies))) return NOT_FOUND_RESULT;
        if (isAdministrator(user) && !isAdministrator(next) && (await isLast(tx, id)))
          return LAST_ADMINISTRATOR;
      }
      const settings = { ...person.settings, ...getSettings(fields) };
      const changed = changedFields(fields, { ...person, settings: person.settings });
      if (changed.some((field) => SENSITIVE.has(field))) {
        if (!isFresh(ctx)) return REAUTH;
      }
      if (changed.includes('username') && !isPlainUsername(fields.username ?? ''))
        return usernameNotPlain();
      if (changed.includes('auth') && own) return NOT_YOURSELF;
      if (
        changed.includes('sms') &&
        fields.sms === true &&
        (fields.mobilePhone === undefined ? person.mobile_phone : fields.mobilePhone) === null
      )
        return badField('sms', t.phoneMissing);
      if (changed.includes('username') && (await isUsernameTaken(tx, fields.username ?? '', id)))
        return USERNAME_TAKEN;
      if (!moved && changed.length === 0) return await shown(tx, ctx, id);

      const drafts: NewEvent[] = [];
      if (moved)
        drafts.push(
          userEvent(id, {
            type: 'user.scoped@1',
            data: { id, roles: [...next.roles], companies: next.companies && [...next.companies] },
          }),
        );
      if (changed.length > 0)
        drafts.push(userEvent(id, { type: 'user.updated@1', data: { id, fields: changed } }));
      await tx.append(drafts, by(ctx));
      const { username, name, email, auth } = fields;
      await tx.sql
        .updateTable('person')
        .set({
          ...getColumns(fields),
          settings: JSON.stringify(settings),
          // No code was entered for the new number yet.
          ...(changed.includes('mobilePhone') && { phone_updated_once: false }),
          ...(username !== undefined && { username, username_key: usernameKey(username) }),
          ...(name !== undefined && { name }),
          ...(email !== undefined && { email }),
          // Users have to confirm their own address, even if they can set those of others
          // (EMAIL-1).
          ...(changed.includes('email') && { email_verified: !own }),
          // A user who moves to the directory has no password here any more; a user who leaves it
          // gets a new one by link.
          ...(changed.includes('auth') && {
            ...(auth !== undefined && { auth }),
            password_hash: null,
            password_reset: false,
          }),
        })
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', id)
        .execute();
      if (moved) await audit(tx, context, ctx, { what: 'user.scoped', user: id });
      if (changed.length > 0)
        await audit(tx, context, ctx, {
          what: 'user.changed',
          user: id,
          detail: { fields: changed.join(', ') },
        });
      // Impersonations depend on rights that the user may no longer have.
      if (moved) await endImpersonationsBy(tx, id, ctx.now);
      if (changed.includes('auth')) {
        await revokeSessions(tx, id, ctx.now);
        await endUserKeys(tx, context, ctx, id, true);
      }
      if (changed.includes('sms') && person.email !== null)
        await tellOfSms(tx, context, id, person.email, fields.sms === true);
      if (changed.includes('username') && username !== undefined && person.email !== null)
        await tellOfNewUsername(tx, context, id, person.email, username);
      if (changed.includes('email')) {
        if (person.email !== null) await tellOfNewAddress(tx, context, id, person.email);
        // A link sent to the previous address may now reach someone else.
        await endLinks(tx, id, ctx.now);
        await endEmailLinks(tx, id, ctx.now);
        if (own && email !== undefined) await sendEmailLink(tx, context, ctx, id, email);
        if (
          email !== undefined &&
          (auth ?? person.auth) === 'db' &&
          person.password_hash === null &&
          user.deletedAt === null
        )
          await invite(tx, context, ctx, { id, name: name ?? person.name, email });
      }
      return await shown(tx, ctx, id);
    }),

  deleteUser: ({ id }, ctx) =>
    changeUser(context, ctx, id, async (tx, user) => {
      const refused = await notDeletable(tx, ctx, user);
      if (refused) return refused;
      if (user.deletedAt !== null) return ok({});
      await tx.append([userEvent(id, { type: 'user.deleted@1', data: { id } })], by(ctx));
      await revokeSessions(tx, id, ctx.now);
      await endUserKeys(tx, context, ctx, id, false);
      await audit(tx, context, ctx, { what: 'user.deleted', user: id });
      return ok({});
    }),

  addUserAccount: ({ id, accountId, name }, ctx) =>
    changeUser(context, ctx, id, async (tx) => {
      const settings = await personSettings(tx, id);
      const accounts = (settings.accounts ?? []).filter((one) => one.accountId !== accountId);
      if (accounts.length >= MAX_ACCOUNTS)
        return badField('accountId', t.tooManyAccounts({ max: MAX_ACCOUNTS }));
      return keepAccounts(context, tx, ctx, id, 'account.added', {
        ...settings,
        accounts: [...accounts, { accountId, ...(name !== undefined && { name }) }],
      });
    }),

  removeUserAccount: ({ id, accountId }, ctx) =>
    changeUser(context, ctx, id, async (tx) => {
      const settings = await personSettings(tx, id);
      const accounts = (settings.accounts ?? []).filter((one) => one.accountId !== accountId);
      if (accounts.length === (settings.accounts ?? []).length) return NOT_FOUND_RESULT;
      return keepAccounts(context, tx, ctx, id, 'account.removed', { ...settings, accounts });
    }),
});

/**
 * Runs `work` on a user under the lock of the log. A user outside the caller's companies returns
 * not found; one with more rights is refused. Afterwards the process reloads its cached sessions.
 */
export async function changeUser<T>(
  context: AppContext,
  ctx: SessionContext,
  id: UserId,
  work: (tx: TenantTx, user: UserRow) => Promise<Result<T>>,
): Promise<Result<T>> {
  const { session } = ctx;
  const result = await context.store.tenant(ctx.tenant, async (tx) => {
    await tx.lock();
    const user = await findUser(tx, session, id);
    return user.ok ? work(tx, user.value) : user;
  });
  forgetSessions(context, ctx.tenant);
  return result;
}

/** Runs `work` on a user whom the caller may manage, without changing anything and without a lock. */
export const look = <T>(
  context: AppContext,
  { session, tenant }: SessionContext,
  id: UserId,
  work: (tx: TenantTx) => Promise<Result<T>>,
): Promise<Result<T>> =>
  context.store.tenant(
    tenant,
    async (tx) => {
      const user = await findUser(tx, session, id);
      return user.ok ? work(tx) : user;
    },
    { readOnly: true },
  );

/** A user outside the caller's companies is not found; one with more rights is refused. */
async function findUser(
  tx: TenantTx,
  session: SessionContext['session'],
  id: UserId,
): Promise<Result<UserRow>> {
  const user = (await tx.rows('user', [id])).get(id);
  if (!user || user.removedAt !== undefined || !seesUser(session, user)) return NOT_FOUND_RESULT;
  return hasAuthorityOver(session, user) ? ok(user) : FORBIDDEN_RESULT;
}

/** Returns why a user cannot be deleted; null if they can. */
export async function notDeletable(
  tx: TenantTx,
  ctx: SessionContext,
  user: UserRow,
): Promise<Result<never> | null> {
  const { userId, actor } = ctx.session;
  if (user.id === userId || user.id === actor) return NOT_YOURSELF;
  return user.deletedAt === null && isAdministrator(user) && (await isLast(tx, user.id))
    ? LAST_ADMINISTRATOR
    : null;
}

/**
 * Returns whether a user gets an additional role or company. Adding requires a recent factor;
 * removing does not.
 */
const isWider = (next: UserRights, before: UserRights): boolean =>
  next.roles.some((role) => !before.roles.includes(role)) ||
  (before.companies !== null &&
    (next.companies === null || next.companies.some((n) => !before.companies?.includes(n))));

const isLast = async (tx: TenantTx, but: UserId): Promise<boolean> =>
  !(await tx.all('user')).some(
    (one) => one.id !== but && one.deletedAt === null && isAdministrator(one),
  );

async function shown(tx: TenantTx, ctx: SessionContext, id: UserId): Promise<Result<UserListed>> {
  const one = await userListed(tx, ctx.session, id, ctx.now);
  return one ? ok(one) : NOT_FOUND_RESULT;
}

async function areCompanies(tx: TenantTx, companies: readonly CompanyN[] | null): Promise<boolean> {
  if (companies === null || companies.length === 0) return true;
  const rows = await tx.rows('company', companies);
  return companies.every((n) => {
    const row = rows.get(n);
    return row !== undefined && row.deletedAt === undefined;
  });
}

const endImpersonationsBy = async (tx: TenantTx, id: UserId, now: number): Promise<void> =>
  void (await tx.sql
    .updateTable('session')
    .set({ ended_at: now })
    .where('tenant_id', '=', tx.tenant)
    .where('actor_id', '=', id)
    .where('ended_at', 'is', null)
    .execute());

const personSettings = async (tx: TenantTx, id: UserId) =>
  (
    await tx.sql
      .selectFrom('person')
      .select('settings')
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).settings;

async function keepAccounts(
  context: AppContext,
  tx: TenantTx,
  ctx: SessionContext,
  id: UserId,
  what: string,
  settings: object,
): Promise<Result<UserListed>> {
  await tx.append(
    [userEvent(id, { type: 'user.updated@1', data: { id, fields: ['accounts'] } })],
    by(ctx),
  );
  await tx.sql
    .updateTable('person')
    .set({ settings: JSON.stringify(settings) })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute();
  await audit(tx, context, ctx, { what, user: id });
  return shown(tx, ctx, id);
}

export const userEvent = (id: UserId, event: NewEvent['event']): NewEvent => ({
  event,
  company: null,
  entity: `user:${id}`,
});

/** Fields that could be used to take over an account: changing them requires a recent factor. */
const SENSITIVE = new Set([
  'username',
  'email',
  'mobilePhone',
  'officePhone',
  'sms',
  'sso',
  'auth',
]);
const SETTINGS = [
  'sms',
  'sso',
  'managedFilterType',
  'assignAsConnectWiseOwner',
  'veeamServiceAccount',
  'isO365Migrator',
  'landingPage',
  'features',
] as const;
const getSettings = (fields: Fields) =>
  Object.fromEntries(
    SETTINGS.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  );
const getColumns = ({ mobilePhone, officePhone, forceSecurityQuestions }: Fields) => ({
  ...(mobilePhone !== undefined && { mobile_phone: mobilePhone }),
  ...(officePhone !== undefined && { office_phone: officePhone }),
  ...(forceSecurityQuestions !== undefined && { force_questions: forceSecurityQuestions }),
});

interface Stood {
  readonly username: string;
  readonly name: string;
  readonly email: string | null;
  readonly auth: string;
  readonly mobile_phone: string | null;
  readonly office_phone: string | null;
  readonly force_questions: boolean;
  readonly settings: object;
}

/** Returns the names of the given fields that differ from the stored values. */
function changedFields(fields: Fields, before: Stood): string[] {
  const {
    username,
    name,
    email,
    auth,
    mobile_phone: mobilePhone,
    office_phone: officePhone,
    force_questions: forceSecurityQuestions,
    settings,
  } = before;
  const stood: Readonly<Record<string, unknown>> = {
    sms: false,
    ...settings,
    username,
    name,
    email,
    auth,
    mobilePhone,
    officePhone,
    forceSecurityQuestions,
  };
  return Object.entries(fields)
    .filter(
      ([field, value]) =>
        field !== 'roles' &&
        field !== 'companies' &&
        value !== undefined &&
        !same(value, stood[field]),
    )
    .map(([field]) => field);
}

const once = <T>(list: readonly T[]): T[] => [...new Set(list)];
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
