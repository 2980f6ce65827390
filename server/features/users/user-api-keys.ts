import { ok } from '#contract/result.ts';
import { loadApiKeys, revokeKey } from '../../platform/auth/api-keys.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { NOT_FOUND_RESULT } from '../../platform/auth/guards.ts';
import { changeUser, look } from './users.ts';

/**
 * KEY-5: administrators see and revoke the API keys of the users they manage, but cannot create
 * them.
 */
export const userKeyHandlers = (
  context: AppContext,
): Pick<Handlers, 'listUserApiKeys' | 'revokeUserApiKey'> => ({
  listUserApiKeys: ({ id }, ctx) =>
    look(context, ctx, id, async (tx) => ok(await loadApiKeys(tx, id))),
  revokeUserApiKey: ({ id, key }, ctx) =>
    changeUser(context, ctx, id, async (tx) =>
      (await revokeKey(tx, context, ctx, id, key)) ? ok({}) : NOT_FOUND_RESULT,
    ),
});
