import type { Region } from '#contract/engine/engine.ts';
import type { TenantPerson } from '#contract/engine/operators.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { audit } from '../../platform/auth/audit.ts';
import { attemptCookie, deviceCookie } from '../../platform/auth/cookie.ts';
import { getTenantIssuer, loadOperators } from '../../platform/auth/operators.ts';
import { isUsernameTaken, usernameKey } from '../../platform/auth/usernames.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { busyFor } from '../../platform/http/envelope.ts';
import type { Handlers, RequestContext } from '../../platform/http/handler.ts';
import { beginAttempt, endAttempt, heldAttempt, shownAttempt } from './attempts.ts';
import { DEVICE_MS } from './devices.ts';
import { issueSession } from './issue-session.ts';
import { operatorSignInMessages as t } from './messages.en.ts';
import { openHere } from './open-session.ts';
import { sealForAttempt, unsealForAttempt } from './totp.ts';

type Names = 'requestOperatorCode' | 'checkOperatorCode';

/** Per minute: each code of an anonymous client is a request to Microsoft. */
const CODES = { address: 6, provider: 60 } as const;
const CHECKS = { address: 60, provider: 600 } as const;
/** Members of groups are read again when they are older than this. */
const MEMBERS_MS = 15 * 60_000;

/**
 * RES-52: restore operators sign in with Microsoft, by a code that only this browser checks (G69).
 * It opens a session of a user of its own, without a role of the portal: never one of an existing
 * user, whatever address the tenant gives the person.
 */
export function operatorSignInHandlers(context: AppContext): Pick<Handlers, Names> {
  const { operators } = context.embeddedEngine;
  const [limitCodes, limitChecks] = [
    makeOperatorLimit(context, 'operator codes', CODES),
    makeOperatorLimit(context, 'checks of operator codes', CHECKS),
  ];

  return {
    async requestOperatorCode(_, ctx) {
      const waitMs = limitCodes(ctx);
      if (waitMs !== null) return tooMany(waitMs);
      const region = await context.store.tenant(ctx.tenant, loadRegion, { readOnly: true });
      if (region === null) return failed({ kind: 'conflict', message: t.noOperators });
      const code = await operators.requestCode({ region });
      if (!code.ok) return failed(getFailure(code.error));
      const { deviceCode, ...shown } = code.value;
      return context.store.tenant(ctx.tenant, async (tx) => {
        const begun = await beginAttempt(
          tx,
          context,
          { kind: 'operator', userId: null, state: {} },
          ctx.now,
        );
        const { attempt, token } = begun;
        const secret = JSON.stringify({ region, deviceCode });
        await tx.sql
          .updateTable('attempt')
          .set({
            state: JSON.stringify({ code: await sealForAttempt(tx, context, attempt.id, secret) }),
          })
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', attempt.id)
          .execute();
        ctx.answer.append('set-cookie', attemptCookie(token, LIMITS.attemptMs));
        const expiresAt = Math.min(shown.expiresAt, attempt.until);
        return ok({ ...shown, id: attempt.id, expiresAt, expiresInMs: expiresAt - ctx.now });
      });
    },

    async checkOperatorCode(_, ctx) {
      const waitMs = limitChecks(ctx);
      if (waitMs !== null) return tooMany(waitMs);
      const waiting = await context.store.tenant(ctx.tenant, async (tx) => {
        const attempt = await heldAttempt(tx, shownAttempt(ctx), ['operator'], ctx.now);
        const sealed = attempt?.state.code;
        if (!attempt || sealed === undefined) return null;
        const secret = await unsealForAttempt(tx, context, attempt.id, sealed);
        return { attempt, ...(JSON.parse(secret) as { region: Region; deviceCode: string }) };
      });
      if (waiting === null) return ok({ state: 'expired' });
      const checked = await operators.checkCode(waiting);
      if (!checked.ok) return failed(getFailure(checked.error));
      if (checked.value.state !== 'granted') return ok({ state: checked.value.state });
      return enterOperator(context, ctx, waiting.attempt.id, checked.value.person);
    },
  };
}

export function makeOperatorLimit(
  { sharedLimits }: AppContext,
  name: string,
  limit: { readonly address: number; readonly provider: number },
) {
  const byAddress = sharedLimits.perMinute(`${name}/address`, limit.address);
  const byProvider = sharedLimits.perMinute(name, limit.provider);
  return ({ ip, tenant, now }: RequestContext): number | null =>
    byAddress.ask(ip, now) ?? byProvider.ask(tenant, now);
}

const tooMany = (waitMs: number): Result<never> =>
  failed({ kind: 'too-many', message: MESSAGES.tooMany, retryAfterMs: waitMs });

const getFailure = ({ kind, message }: { readonly kind: string; readonly message: string }) =>
  kind === 'unreachable' || kind === 'busy'
    ? { ...busyFor(5_000), message }
    : ({ kind: 'conflict', message } as const);

/** The cloud of the organizations that have operators; null: nobody is one. */
export async function loadRegion(tx: TenantTx): Promise<Region | null> {
  const roles = (await tx.all('restoreRole')).filter(({ removedAt }) => removedAt === null);
  const ids = [...new Set(roles.map(({ organization }) => organization))];
  const organizations = [...(await tx.rows('organization', ids)).values()];
  return organizations.find(({ removedAt }) => removedAt === null)?.region ?? null;
}

/** Opens a session if the person is an operator. The attempt ends in either case. */
export async function enterOperator(
  context: AppContext,
  ctx: RequestContext,
  attempt: string,
  person: TenantPerson,
): Promise<Result<{ state: 'granted' }>> {
  const organizations = await context.store.tenant(
    ctx.tenant,
    async (tx) =>
      (await tx.all('organization')).filter(
        ({ directoryId, removedAt }) => removedAt === null && directoryId === person.directoryId,
      ),
    { readOnly: true },
  );
  for (const organization of organizations) await refreshGroups(context, ctx, organization);
  const key = await context.sessionKey();
  const entered = await context.store.tenant(ctx.tenant, async (tx) => {
    await tx.lock();
    await endAttempt(tx, attempt, ctx.now);
    const userId = await findUser(tx, context, ctx, person, organizations);
    if (userId === null) {
      await audit(tx, context, ctx, {
        what: 'sign-in.refused',
        user: null,
        detail: { how: 'microsoft', why: 'no-operator' },
      });
      return null;
    }
    return openHere(tx, context, key, ctx, {
      userId,
      how: 'microsoft',
      remember: undefined,
      known: null,
    });
  });
  context.knownSessions.forget(ctx.tenant);
  if (entered === null) return failed({ kind: 'forbidden', message: t.noOperator });
  if (entered.device !== null)
    ctx.answer.append('set-cookie', deviceCookie(entered.device, DEVICE_MS));
  const issued = await issueSession(context, entered.opened, ctx);
  return issued.ok ? ok({ state: 'granted' }) : issued;
}

async function refreshGroups(
  context: AppContext,
  { tenant }: RequestContext,
  { id: organization }: OrganizationRow,
): Promise<void> {
  const groups = await context.store.tenant(
    tenant,
    async (tx) =>
      (await tx.all('restoreRole'))
        .filter((role) => role.organization === organization && role.removedAt === null)
        .flatMap(({ operators, selectedItems, excludedItems }) =>
          [...operators, ...selectedItems, ...excludedItems].flatMap(({ type, id }) =>
            type === 'Group' ? [id] : [],
          ),
        ),
    { readOnly: true },
  );
  const scope = { tenant, organization };
  const done = await context.embeddedEngine.operators.refreshGroups(scope, {
    groups,
    maxAgeMs: MEMBERS_MS,
  });
  if (!done.ok)
    context.log.warn('the members of groups could not be read', { error: done.error.message });
}

/** Returns the user of a person who is an operator, and makes it at the first time. */
async function findUser(
  tx: TenantTx,
  context: AppContext,
  ctx: RequestContext,
  { directoryId, object, name, username }: TenantPerson,
  organizations: readonly OrganizationRow[],
): Promise<UserId | null> {
  const companies = [...new Set(organizations.map(({ company }) => company))];
  if (companies.length === 0) return null;
  const issuer = getTenantIssuer(directoryId);
  const known = await tx.sql
    .selectFrom('identity')
    .select('user_id')
    .where('tenant_id', '=', tx.tenant)
    .where('issuer', '=', issuer)
    .where('subject', '=', object)
    .executeTakeFirst();
  if (known) {
    const user = (await tx.rows('user', [known.user_id])).get(known.user_id);
    if (user?.deletedAt !== null) return null;
    const own = { userId: user.id, companies: user.companies };
    return (await loadOperators(tx, own)).length > 0 ? user.id : null;
  }
  const id = context.chance.uuid() as UserId;
  await tx.sql
    .insertInto('identity')
    .values({ tenant_id: tx.tenant, issuer, subject: object, user_id: id, made_at: ctx.now })
    .execute();
  if ((await loadOperators(tx, { userId: id, companies })).length === 0) {
    await tx.sql
      .deleteFrom('identity')
      .where('tenant_id', '=', tx.tenant)
      .where('user_id', '=', id)
      .execute();
    return null;
  }
  await tx.append(
    [
      {
        event: { type: 'user.created@1', data: { id, roles: [], companies } },
        company: null,
        entity: `user:${id}`,
      },
    ],
    { actor: { kind: 'user', id }, subject: null, commandId: null, at: ctx.now },
  );
  const free = await getFreeName(tx, username, object);
  await tx.sql
    .insertInto('person')
    .values({
      tenant_id: tx.tenant,
      id,
      username: free,
      username_key: usernameKey(free),
      name,
      // No address: nobody gets a password for this user by email.
      email: null,
      password_hash: null,
    })
    .execute();
  await audit(tx, context, ctx, {
    what: 'user.registered',
    user: id,
    detail: { how: 'microsoft' },
  });
  return id;
}

const getFreeName = async (tx: TenantTx, username: string, object: string): Promise<string> =>
  (await isUsernameTaken(tx, username, null)) ? `${username} ${object.slice(0, 8)}` : username;
