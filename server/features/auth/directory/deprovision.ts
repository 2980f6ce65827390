import type { Ms, UserId } from '#contract/ids.ts';
import { MINUTE_MS } from '#contract/time/durations.ts';
import { mailAccount } from '../../../platform/auth/account-mail.ts';
import { deleteUserKeys } from '../../../platform/auth/api-keys.ts';
import { audit } from '../../../platform/auth/audit.ts';
import type { AuditSource } from '../../../platform/auth/audit.ts';
import { getAccountLookup } from './get-directory.ts';
import type { StatusLookup } from './account-status.ts';
import type { JobHandler } from '../../../platform/jobs/job-types.ts';
import { revokeSessions, forgetSessions } from '../../../platform/auth/revoke-sessions.ts';
import type { RequestContext } from '../../../platform/http/handler.ts';
import type { TenantTx } from '../../../platform/db/store.ts';
import type { AppContext } from '../../../platform/app-context.ts';
import { authMailMessages as t } from '../messages.en.ts';

/**
 * The interval between checks of an account. A directory that could not be reached, or has nobody
 * here, is retried sooner.
 */
export const LOOK_MS: Ms = 4 * 60 * MINUTE_MS;
const RETRY_MS: Ms = 10 * MINUTE_MS;

/**
 * DIR-5: ends a user's sessions and API keys after the directory reports the account as disabled or
 * gone.
 */
export async function endForDirectory(
  context: AppContext,
  source: AuditSource & Pick<RequestContext, 'tenant'>,
  user: UserId,
  why: 'disabled' | 'gone',
): Promise<void> {
  const { tenant, now } = source;
  const ended = await context.store.tenant(tenant, async (tx) => {
    const keys = await deleteUserKeys(tx, user);
    const sessions = await revokeSessions(tx, user, now);
    if (keys + sessions === 0) return false;
    await audit(tx, context, source, {
      what: 'directory-account.over',
      user,
      detail: { why, keys, sessions },
    });
    await mailAccount(tx, context, user, (portal) => ({
      subject: t.accountSubject({ portal }),
      what: (why === 'gone' ? t.directoryGone : t.directoryDisabled)({
        keys: keys > 0 ? 'yes' : 'no',
      }),
      ifNot: t.directoryWrong,
    }));
    return true;
  });
  if (ended) forgetSessions(context, tenant);
}

/** DIR-6: checks directory users who have an API key or a session, with the service account. */
export const directoryAccounts =
  (
    context: AppContext,
    from: (tx: TenantTx, context: AppContext) => Promise<StatusLookup | null> = getAccountLookup,
  ): JobHandler<'directory-accounts'> =>
  async ({ tenant, now }) => {
    const found = await context.store.tenant(
      tenant,
      async (tx) => {
        const people = await heldIn(tx, now);
        return people.length === 0 ? null : { people, look: await from(tx, context) };
      },
      { readOnly: true },
    );
    // The lookup runs outside of any transaction because it can take seconds.
    const status = await found?.look?.(found.people.map(({ username }) => username));
    if (!found || !status) return now + RETRY_MS;
    for (const { id, username } of found.people) {
      const one = status.get(username);
      if (one === 'disabled' || one === 'gone')
        await endForDirectory(
          context,
          { tenant, now: context.clock.now(), ip: '', request: NOBODYS },
          id,
          one,
        );
    }
    return now + LOOK_MS;
  };

const NOBODYS = new Request('http://localhost/');

const heldIn = (
  { sql, tenant }: TenantTx,
  now: Ms,
): Promise<readonly { readonly id: UserId; readonly username: string }[]> =>
  sql
    .selectFrom('person')
    .select(['id', 'username'])
    .where('tenant_id', '=', tenant)
    .where('auth', '=', 'ad')
    .where((is) =>
      is.or([
        is(
          'id',
          'in',
          is
            .selectFrom('api_key')
            .select('user_id')
            .where('tenant_id', '=', tenant)
            .where('until', '>', now),
        ),
        ...(['user_id', 'actor_id'] as const).map((whose) =>
          is(
            'id',
            'in',
            is
              .selectFrom('session')
              .select(whose)
              .where('tenant_id', '=', tenant)
              .where('ended_at', 'is', null)
              .where('absolute_until', '>', now),
          ),
        ),
      ]),
    )
    .orderBy('username')
    .execute();
