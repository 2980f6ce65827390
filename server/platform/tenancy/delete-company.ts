import { getNextStatus, isFailing, type SubscriptionRow } from '#contract/billing/subscriptions.ts';
import type { CompanyRow, UserRow } from '#contract/users/rows.ts';
import type { NewEvent } from '#contract/events.ts';
import { audit } from '../auth/audit.ts';
import { by } from '../auth/guards.ts';
import type { TenantTx } from '../db/store.ts';
import type { SessionContext } from '../http/handler.ts';
import type { AppContext } from '../app-context.ts';

/**
 * Deletes a company: nobody sees it any more, its keys are revoked, and its subscription ends. What
 * `restoreCompany` needs is stored. Requires the lock of the head row.
 */
export async function deleteCompanyRows(
  tx: TenantTx,
  context: AppContext,
  ctx: SessionContext,
  { n }: CompanyRow,
): Promise<void> {
  const keys = (await tx.all('key')).filter((key) => key.company === n && key.revokedAt === null);
  const users = (await tx.all('user')).filter(({ companies }) => companies?.includes(n) === true);
  const subscription = (await tx.all('subscription')).find(
    (row) => row.company === n && getNextStatus(row.status, 'ended') !== null,
  );
  const stored = {
    users: JSON.stringify(users.map(({ id }) => id)),
    subscription: subscription === undefined ? null : JSON.stringify(subscription),
  };
  await tx.sql
    .insertInto('company_restore')
    .values({ tenant_id: tx.tenant, company_n: n, ...stored })
    .onConflict((on) => on.columns(['tenant_id', 'company_n']).doUpdateSet(stored))
    .execute();
  // Comes first, so that devices receive no further events of the company's keys.
  await tx.append(
    [
      about(n, { type: 'company.deleted@1', data: { n } }),
      ...keys.map((key) => ({
        event: { type: 'key.revoked@1' as const, data: { id: key.id } },
        company: n,
        entity: `key:${key.id}`,
      })),
      ...users.map((user) =>
        scope(user, user.companies && user.companies.filter((company) => company !== n)),
      ),
      ...(subscription === undefined
        ? []
        : [
            {
              event: { type: 'subscription.ended@1' as const, data: { id: subscription.id } },
              company: n,
              entity: `subscription:${subscription.id}`,
            },
          ]),
    ],
    by(ctx),
  );
  if (keys.length > 0)
    await tx.sql
      .deleteFrom('key_index')
      .where('tenant_id', '=', tx.tenant)
      .where(
        'key_id',
        'in',
        keys.map((key) => key.id),
      )
      .execute();
  await audit(tx, context, ctx, {
    what: 'company.deleted',
    user: null,
    detail: { company: n, keys: keys.length },
  });
}

/**
 * Restores a deleted company with its users and its subscription. Keys stay revoked. Requires the
 * lock of the head row.
 */
export async function restoreCompany(
  tx: TenantTx,
  context: AppContext,
  ctx: SessionContext,
  { n }: CompanyRow,
): Promise<void> {
  const stored = await tx.sql
    .deleteFrom('company_restore')
    .where('tenant_id', '=', tx.tenant)
    .where('company_n', '=', n)
    .returningAll()
    .executeTakeFirst();
  const ids = new Set(stored?.users ?? []);
  const users = (await tx.all('user')).filter(
    ({ id, companies, deletedAt }) => ids.has(id) && companies !== null && deletedAt === null,
  );
  await tx.append(
    [
      about(n, { type: 'company.restored@1', data: { n } }),
      ...users.map((user) =>
        scope(user, user.companies && [...new Set([...user.companies, n])].sort((a, b) => a - b)),
      ),
      ...(stored?.subscription == null
        ? []
        : continueSubscription(await settle(tx, stored.subscription))),
    ],
    by(ctx),
  );
  await audit(tx, context, ctx, { what: 'company.restored', user: null, detail: { company: n } });
}

/** What was paid or written off while the company was deleted isn't owed any more. */
async function settle(tx: TenantTx, row: SubscriptionRow): Promise<SubscriptionRow> {
  const ended = (await tx.rows('subscription', [row.id])).get(row.id);
  if (ended === undefined || row.owedMills === 0) return row;
  const { owedMills, owedBeforeCardMills, forgivenAt } = ended;
  return {
    ...row,
    owedMills,
    ...(owedBeforeCardMills !== undefined && { owedBeforeCardMills }),
    ...(forgivenAt !== undefined && { forgivenAt }),
    ...(owedMills === 0 && isFailing(row) && { status: 'active', graceEndsAt: null }),
  };
}

/** A card subscription was ended at Stripe, so it waits for another payment. */
function continueSubscription(row: SubscriptionRow): readonly NewEvent[] {
  const { id, company, currency, level, userMills, gigabyteMills, minimumUsers } = row;
  const entity = `subscription:${id}`;
  const isFailed = isFailing(row);
  return [
    {
      company,
      entity,
      event: {
        type: 'subscription.started@1',
        data: {
          id,
          company,
          status: row.hasCard || row.status === 'pending' ? 'pending' : 'active',
          currency,
          level,
          userMills,
          gigabyteMills,
          minimumUsers,
          periodEndsAt: row.periodEndsAt,
          trialEndsAt: row.trialEndsAt,
          hasCard: row.hasCard,
          // A debt that was written off doesn't come back.
          ...(row.forgivenAt !== undefined && { forgivenAt: row.forgivenAt }),
          // Nor is one forgotten that was owed before the card.
          ...((row.owedBeforeCardMills ?? 0) > 0 && { owedMills: row.owedBeforeCardMills }),
        },
      },
    },
    ...(isFailed && !row.hasCard
      ? [
          {
            company,
            entity,
            event: {
              type: 'subscription.failed@1' as const,
              data: { id, graceEndsAt: row.graceEndsAt ?? 0, owedMills: row.owedMills },
            },
          },
        ]
      : []),
    ...(row.status === 'cancelled' && !row.hasCard
      ? [{ company, entity, event: { type: 'subscription.cancelled@1' as const, data: { id } } }]
      : []),
  ];
}

const about = (n: number, event: NewEvent['event']): NewEvent => ({
  event,
  company: n,
  entity: `company:${n}`,
});

const scope = ({ id, roles }: UserRow, companies: readonly number[] | null): NewEvent => ({
  event: {
    type: 'user.scoped@1',
    data: { id, roles: [...roles], companies: companies && [...companies] },
  },
  company: null,
  entity: `user:${id}`,
});
