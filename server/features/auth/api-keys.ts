import type { ApiKeyId } from '#contract/ids.ts';
import type { apiKeyCalls } from '#contract/auth/api-key-calls.ts';
import { ABILITIES } from '#contract/abilities.ts';
import type { Ability } from '#contract/abilities.ts';
import { CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import { keyAccess } from '#contract/key-access.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { loadApiKeys, revokeKey, shownKey, tellOfKey } from '../../platform/auth/api-keys.ts';
import { audit } from '../../platform/auth/audit.ts';
import { NOT_FOUND } from '../../platform/http/envelope.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import { hasAbility } from '../../platform/auth/authorization.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { hashApiKey, getApiKeyHint, formatApiKey } from '../../platform/auth/api-key-secret.ts';
import { ownId } from './profile.ts';
import { authMailMessages as t } from './messages.en.ts';

type Names = Exclude<keyof typeof apiKeyCalls, 'listUserApiKeys' | 'revokeUserApiKey'>;
/** Expired keys stay in the list for 30 days. */
const KEEP_MS = 30 * DAY_MS;

/** The abilities that an API key can have. */
const OFFERED_ABILITIES: readonly Ability[] = ABILITIES.filter((ability) =>
  (Object.keys(CALLS) as CallName[]).some((name) => keyAccess(name) === ability),
);

/** KEY-1: users manage their own API keys. */
export const apiKeyHandlers = (context: AppContext): Pick<Handlers, Names> => ({
  readOwnApiKey: (_, { tenant, session }) =>
    context.store.tenant(
      tenant,
      async ({ sql }) => {
        if (!session.key) return failed(NOT_FOUND);
        const row = await sql
          .selectFrom('api_key')
          .select(['id', 'name', 'until'])
          .where('tenant_id', '=', tenant)
          .where('id', '=', session.key.id)
          .executeTakeFirst();
        if (!row) return failed(NOT_FOUND);
        return ok({
          ...row,
          userId: session.userId,
          abilities: session.key.abilities.filter((ability) => hasAbility(session, ability)),
          companies: session.companies && [...session.companies],
        });
      },
      { readOnly: true },
    ),

  listApiKeys: async ({ id }, ctx) => {
    const session = ownId(ctx, id);
    if (!session) return failed(NOT_FOUND);
    const keys = await context.store.tenant(ctx.tenant, (tx) => loadApiKeys(tx, session.userId), {
      readOnly: true,
    });
    return ok({
      keys,
      max: LIMITS.apiKeys,
      most: LIMITS.apiKeys,
      abilities: OFFERED_ABILITIES.filter((ability) => hasAbility(session, ability)),
    });
  },

  createApiKey: async ({ id, name, abilities, until }, ctx) => {
    const session = ownId(ctx, id);
    if (!session) return failed(NOT_FOUND);
    if (!abilities.every((ability) => hasAbility(session, ability)))
      return failed({
        kind: 'bad-input',
        message: MESSAGES.keyNotYours,
        issues: [{ path: 'abilities', message: MESSAGES.keyNotYours }],
      });
    // The end of a chosen day can be up to two days later, depending on the time zone.
    if (until <= ctx.now || until > ctx.now + (LIMITS.apiKeyDays + 2) * DAY_MS) {
      const message = MESSAGES.keyUntil({ days: LIMITS.apiKeyDays });
      return failed({ kind: 'bad-input', message, issues: [{ path: 'until', message }] });
    }
    return context.store.tenant(ctx.tenant, async (tx) => {
      await tx.lock(); // a concurrent request counts this key
      const { tenant, sql } = tx;
      await sql
        .deleteFrom('api_key')
        .where('tenant_id', '=', tenant)
        .where('user_id', '=', session.userId)
        .where('until', '<', ctx.now - KEEP_MS)
        .execute();
      const { keys } = await sql
        .selectFrom('api_key')
        .select((e) => e.fn.countAll<number>().as('keys'))
        .where('tenant_id', '=', tenant)
        .where('user_id', '=', session.userId)
        .where('until', '>', ctx.now)
        .executeTakeFirstOrThrow();
      if (keys >= LIMITS.apiKeys)
        return failed({ kind: 'conflict', message: MESSAGES.keyTooMany({ max: LIMITS.apiKeys }) });
      const secret = formatApiKey(context.chance.bytes(32));
      const row = {
        tenant_id: tenant,
        id: context.chance.uuid() as ApiKeyId,
        user_id: session.userId,
        name,
        abilities: ABILITIES.filter((ability) => abilities.includes(ability)),
        hash: hashApiKey(secret),
        hint: getApiKeyHint(secret),
        made_at: ctx.now,
        until,
        used_at: null,
        used_from: null,
      };
      await sql
        .insertInto('api_key')
        .values({ ...row, abilities: JSON.stringify(row.abilities) })
        .execute();
      await audit(tx, context, ctx, {
        what: 'api-key.made',
        user: session.userId,
        detail: {
          apiKey: row.id,
          abilities: row.abilities.join(', '),
          until: new Date(until).toISOString(),
        },
      });
      await tellOfKey(tx, context, session.userId, () => t.apiKeyCreated({ name }));
      return ok({ key: shownKey(row), secret });
    });
  },

  revokeApiKey: async ({ id, key }, ctx) => {
    const session = ownId(ctx, id);
    if (!session) return failed(NOT_FOUND);
    return (await context.store.tenant(ctx.tenant, (tx) =>
      revokeKey(tx, context, ctx, session.userId, key),
    ))
      ? ok({})
      : failed(NOT_FOUND);
  },
});
