import { createHmac } from 'node:crypto';
import type { Role } from '#contract/abilities.ts';
import type { CompanyN, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { coversRoles } from '#contract/users/authority.ts';
import type { ActingUser } from '#contract/users/authority.ts';
import { failed, ok } from '#contract/result.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { sendEmailLink } from '../../platform/auth/email-confirmation.ts';
import { audit } from '../../platform/auth/audit.ts';
import { busyFor } from '../../platform/http/envelope.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import { hasAbility } from '../../platform/auth/authorization.ts';
import { makeOneTime, readOneTime, useOneTime } from '../../platform/crypto/one-time-secrets.ts';
import {
  measureOfNew,
  findPasswordError,
  passwordRefused,
} from '../../platform/crypto/password-rules.ts';
import { hashPassword } from '../../platform/crypto/passwords.ts';
import { portalAddress, loadPortalAddress } from '../../platform/tenancy/portal-address.ts';
import { keepsProvider } from '../../platform/tenancy/providers.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { isPlainUsername, isUsernameTaken, usernameKey } from '../../platform/auth/usernames.ts';
import { seal, unseal } from '../../platform/crypto/vault.ts';
import type { AppContext } from '../../platform/app-context.ts';
import {
  FORBIDDEN_RESULT,
  NOT_FOUND_RESULT,
  USERNAME_TAKEN,
  usernameNotPlain,
} from '../../platform/auth/guards.ts';
import { checkLink } from '../auth/check-link.ts';
import { seesCompany } from '../../platform/tenancy/company-list.ts';
import { sendUserMail, loadTitle } from './invite.ts';
import { userMailMessages as t } from './messages.en.ts';
import { userEvent } from './users.ts';

const KIND = 'invitation';
/** Emails go to any address that the user enters, so they are limited per day and provider. */
const MAX_PER_DAY = 100;
const LINK_OVER = failed({ kind: 'not-found', message: MESSAGES.linkOver });

/**
 * Registration by invitation links, and what a portal tells other systems about the signed-in user.
 */
export const invitationHandlers = (
  context: AppContext,
): Pick<
  Handlers,
  | 'inviteUser'
  | 'checkInvitation'
  | 'acceptInvitation'
  | 'chatToken'
  | 'validateVacId'
  | 'ipLocation'
> => ({
  async inviteUser({ id, email }, ctx) {
    const { session } = ctx;
    const own = id === ctx.tenant;
    if (own ? !mayInvite(session) : !hasAbility(session, 'admin.dashboard'))
      return own ? FORBIDDEN_RESULT : NOT_FOUND_RESULT;
    if (!own && !(await keepsProvider(context, ctx.tenant, session, id))) return NOT_FOUND_RESULT;
    return context.store.tenant(id, async (tx) => {
      const { made } = await tx.sql
        .selectFrom('one_time')
        .select((e) => e.fn.countAll<number>().as('made'))
        .where('tenant_id', '=', id)
        .where('kind', '=', KIND)
        .where('made_at', '>', ctx.now - DAY_MS)
        .executeTakeFirstOrThrow();
      if (made >= MAX_PER_DAY)
        return failed({ kind: 'too-many', message: MESSAGES.tooMany, retryAfterMs: DAY_MS / 24 });
      // An invited user sees no more companies than the inviter, and none of a whole provider until
      // an administrator assigns them.
      const companies = own ? (session.companies ?? []) : [];
      const secret = await makeOneTime(
        tx,
        context,
        KIND,
        null,
        { companies, by: own ? session.userId : null },
        ctx.now,
        LIMITS.invitationMs,
      );
      const address = own
        ? await portalAddress(tx, context, ctx)
        : await loadPortalAddress(tx, context);
      const url = `${address ?? ''}/o365/register#${secret}`;
      await audit(tx, context, own ? ctx : { ...ctx, session: null }, {
        what: 'invitation.made',
        user: null,
      });
      const title = await loadTitle(tx);
      if (email !== null)
        await sendUserMail(tx, context, null, email, title, {
          subject: t.invitationSubject,
          lines: (portal) => [t.hello, t.invitation({ portal }), url, t.linkOnce],
        });
      return ok({ url, until: ctx.now + LIMITS.invitationMs });
    });
  },

  checkInvitation: ({ token }, ctx) =>
    context.store.tenant(ctx.tenant, (tx) =>
      checkLink(tx, ctx, async () => {
        const invitation = await readOneTime(tx, KIND, token, ctx.now);
        return invitation !== null && (await findRemainingCompanies(tx, invitation.data)) !== null;
      }),
    ),

  async acceptInvitation({ token, username, name, email, password }, ctx) {
    if (!isPlainUsername(username)) return usernameNotPlain();
    const error = await context.store.tenant(
      ctx.tenant,
      async (tx) => {
        if (!(await readOneTime(tx, KIND, token, ctx.now))) return LINK_OVER;
        const said = findPasswordError(
          password,
          await measureOfNew(tx, { username, name, email: email ?? null }),
        );
        return said === null ? null : failed(passwordRefused(said, 'password'));
      },
      { readOnly: true },
    );
    if (error) return error;
    const hashing = hashPassword(password);
    if (!hashing) return failed(busyFor(1_000));
    const password_hash = await hashing;
    return context.store.tenant(ctx.tenant, async (tx) => {
      await tx.lock();
      // Checked before the link is used up, so that the user can try another name.
      if (await isUsernameTaken(tx, username, null)) return USERNAME_TAKEN;
      const used = await useOneTime(tx, KIND, token, ctx.now);
      if (!used) return LINK_OVER;
      const id = context.chance.uuid() as UserId;
      const companies = await findRemainingCompanies(tx, used.data);
      if (companies === null) return LINK_OVER;
      await tx.append(
        [
          userEvent(id, {
            type: 'user.created@1',
            data: { id, roles: [...INVITED_ROLES], companies },
          }),
        ],
        { actor: { kind: 'user', id }, subject: null, commandId: null, at: ctx.now },
      );
      await tx.sql
        .insertInto('person')
        .values({
          tenant_id: tx.tenant,
          id,
          username,
          username_key: usernameKey(username),
          name,
          email: email ?? null,
          email_verified: email === undefined,
          password_hash,
          password_at: ctx.now,
        })
        .execute();
      // Also for an emailed invitation, because the inviter has seen its link too.
      if (email !== undefined) await sendEmailLink(tx, context, ctx, id, email);
      await audit(tx, context, ctx, { what: 'user.registered', user: id });
      return ok({ username });
    });
  },

  chatToken: ({ name, email, serviceProviderId }, ctx) =>
    context.store.tenant(ctx.tenant, async (tx) => {
      const { userId } = ctx.session;
      const person = await tx.sql
        .selectFrom('person')
        .select(['name', 'email', 'email_verified'])
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', userId)
        .executeTakeFirst();
      if (
        serviceProviderId !== ctx.tenant ||
        person?.name !== name ||
        person.email !== email ||
        !person.email_verified
      )
        return FORBIDDEN_RESULT;
      const until = ctx.now + CHAT_MS;
      return ok({
        token: signedToken(await chatKey(tx, context), {
          iss: ctx.tenant,
          sub: userId,
          name,
          email,
          iat: Math.floor(ctx.now / 1_000),
          exp: Math.floor(until / 1_000),
        }),
        until,
      });
    }),

  validateVacId: ({ id }, ctx) =>
    context.store.tenant(
      ctx.tenant,
      async (tx) => {
        const { session } = ctx;
        return ok({
          valid: (await tx.all('company')).some(
            (one) =>
              seesCompany(session, one) && (one.applications?.vac.id === id || one.veeamId === id),
          ),
        });
      },
      { readOnly: true },
    ),

  /** No proxy in front of this server provides a country, so none is returned. */
  ipLocation: () => Promise.resolve(ok({ country: null })),
});

const CHAT_MS = 5 * 60_000;
/** The roles of an invited user, until an administrator changes them. */
const INVITED_ROLES: readonly Role[] = ['read-only'];

/**
 * Sub-providers, and users who administer users or the provider. Nobody can invite a user with more
 * roles than they can grant.
 */
const mayInvite = (by: ActingUser): boolean =>
  (by.roles.includes('sub-sp') ||
    hasAbility(by, 'monitoring.users') ||
    hasAbility(by, 'admin.dashboard')) &&
  coversRoles(by, INVITED_ROLES);

const companiesIn = ({ companies }: Readonly<Record<string, unknown>>): CompanyN[] =>
  Array.isArray(companies) ? companies.filter((n): n is number => typeof n === 'number') : [];

/**
 * Returns the companies of an invitation that its creator still sees; null if the creator no longer
 * exists or cannot invite.
 */
async function findRemainingCompanies(
  tx: TenantTx,
  data: Readonly<Record<string, unknown>>,
): Promise<CompanyN[] | null> {
  const { by } = data;
  const companies = companiesIn(data);
  // Created in a provider above, whose users this provider's log does not know, so it has no
  // company.
  if (typeof by !== 'string') return companies;
  const maker = (await tx.rows('user', [by])).get(by);
  if (!maker || maker.deletedAt !== null || !mayInvite(maker)) return null;
  return maker.companies === null
    ? companies
    : companies.filter((n) => maker.companies?.includes(n));
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a JSON Web Token, HS256, in compact form. */
function signedToken(key: Buffer, claims: object): string {
  const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`;
}

const CHAT_KEY = { table: 'secret', column: 'sealed', row: 'chat' } as const;

/** Returns the provider's key for its chat, and creates it on first use. */
async function chatKey(tx: TenantTx, context: AppContext): Promise<Buffer> {
  const read = () =>
    tx.sql
      .selectFrom('secret')
      .select('sealed')
      .where('tenant_id', '=', tx.tenant)
      .where('name', '=', CHAT_KEY.row)
      .executeTakeFirst();
  let row = await read();
  if (!row) {
    const sealed = await seal(
      tx,
      context,
      CHAT_KEY,
      Buffer.from(context.chance.bytes(32)).toString('base64url'),
    );
    await tx.sql
      .insertInto('secret')
      .values({ tenant_id: tx.tenant, name: CHAT_KEY.row, sealed, at: context.clock.now() })
      .onConflict((on) => on.columns(['tenant_id', 'name']).doNothing())
      .execute();
    row = await read();
  }
  if (!row) throw new Error('a provider without a key for its chat');
  return Buffer.from(await unseal(tx, context, CHAT_KEY, row.sealed), 'base64url');
}
