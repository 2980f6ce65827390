import { getLastError } from '#contract/last-error.ts';
import type { QuickBooksState } from '#contract/billing/quickbooks-calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import { makeOneTime, useOneTime } from '../../platform/crypto/one-time-secrets.ts';
import { makePerMinuteLimit } from '../../platform/rate-limit/per-minute.ts';
import { storeSecret, readSecret } from '../../platform/outbound/secret.ts';
import { portalAddress } from '../../platform/tenancy/portal-address.ts';
import { scheduleRecurring } from '../../platform/jobs/schedule.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { toScope } from '../../platform/sync/scope.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { explainBooksError } from './invoice-handlers.ts';
import { forgetAll } from './store-invoices.ts';
import { connectQuickBooks } from './quickbooks.ts';
import { catchBooksError, quickBooksAt } from './quickbooks-endpoint.ts';
import {
  loadApp,
  exchange,
  keepTokens,
  quickBooksRow,
  revoke,
  loadTokens,
} from './quickbooks-tokens.ts';
import { AT_REST } from './read-invoices.ts';
import { billingMessages as t } from './messages.en.ts';

const FORBIDDEN: Failure = { kind: 'forbidden', message: MESSAGES.quickBooksNotYours };
const bad = (path: string, message: string): Failure => ({
  kind: 'bad-input',
  message,
  issues: [{ path, message }],
});
/** The redirect URI at Intuit: a page of the portal, which passes the code to the server. */
const BACK = '/monitoring/invoices/quickbooks';
const SCOPE = 'com.intuit.quickbooks.accounting';
const KIND = 'quickbooks';
const WAY_MS: Ms = 10 * 60_000;
/** Connection tests call QuickBooks, so they are limited per minute and provider. */
const TRIES = 10;

/** BILL-1: users with access to all companies manage the app at Intuit and its authorization. */
export function quickBooksHandlers(
  context: AppContext,
): Pick<
  Handlers,
  | 'getQuickBooks'
  | 'setQuickBooks'
  | 'beginQuickBooks'
  | 'finishQuickBooks'
  | 'testQuickBooks'
  | 'removeQuickBooks'
> {
  const rateLimit = makePerMinuteLimit(TRIES);
  const { store } = context;
  return {
    getQuickBooks: (_, ctx) =>
      keepsBooks(ctx)
        ? store.tenant(ctx.tenant, async (tx) => ok(await loadStored(tx, context, ctx)))
        : no(),

    setQuickBooks: ({ environment, clientId, secret }, ctx) =>
      keepsBooks(ctx)
        ? store.tenant(ctx.tenant, async (tx): Promise<Result<QuickBooksState>> => {
            await tx.lock();
            const before = await quickBooksRow(tx);
            const other = before?.client_id !== clientId || before.environment !== environment;
            // The stored secret belongs to one app and is not sent for another.
            if (
              secret === undefined &&
              (other || (await readSecret(tx, context, 'quickbooks')) === null)
            )
              return failed(bad('secret', MESSAGES.quickBooksNoSecret));
            if (secret !== undefined) await storeSecret(tx, context, 'quickbooks', secret);
            if (other) await storeSecret(tx, context, 'quickbooks-tokens', null);
            const settings = {
              environment,
              client_id: clientId,
              fault: null,
              tries: 0,
              ...(other && {
                realm_id: null,
                connected_at: null,
                poll_at: null,
                ended: false,
                read_at: null,
                whole_at: null,
                cursor: JSON.stringify(AT_REST),
              }),
            };
            await tx.sql
              .insertInto('quickbooks')
              .values({ tenant_id: tx.tenant, cursor: JSON.stringify(AT_REST), ...settings })
              .onConflict((on) => on.column('tenant_id').doUpdateSet(settings))
              .execute();
            if (other) await forgetAll(tx);
            await audit(tx, context, ctx, {
              what: 'quickbooks.changed',
              user: null,
              detail: { environment, secret: secret !== undefined, other },
            });
            return ok(await loadStored(tx, context, ctx));
          })
        : no(),

    beginQuickBooks: (_, ctx) =>
      keepsBooks(ctx)
        ? store.tenant(ctx.tenant, async (tx): Promise<Result<{ url: string }>> => {
            const app = await loadApp(tx, context, await quickBooksRow(tx));
            if (app === null)
              return failed({ kind: 'conflict', message: MESSAGES.quickBooksNoKeys });
            const back = await loadBack(tx, context, ctx);
            const state = await makeOneTime(
              tx,
              context,
              KIND,
              ctx.session.userId,
              { back, clientId: app.clientId, environment: app.environment },
              ctx.now,
              WAY_MS,
            );
            const url = new URL(quickBooksAt(context, app.environment).authorize);
            for (const [name, value] of Object.entries({
              client_id: app.clientId,
              response_type: 'code',
              scope: SCOPE,
              redirect_uri: back,
              state,
            }))
              url.searchParams.set(name, value);
            return ok({ url: url.href });
          })
        : no(),

    async finishQuickBooks({ code, realmId, state }, ctx) {
      if (!keepsBooks(ctx)) return no();
      const begun = await store.tenant(ctx.tenant, async (tx) => {
        const way = await useOneTime(tx, KIND, state, ctx.now);
        const app = await loadApp(tx, context, await quickBooksRow(tx));
        const fits =
          way !== null &&
          app !== null &&
          way.user_id === ctx.session.userId &&
          way.data['clientId'] === app.clientId &&
          way.data['environment'] === app.environment;
        return fits ? { app, back: String(way.data['back']) } : null;
      });
      if (begun === null) return failed({ kind: 'conflict', message: MESSAGES.quickBooksWayBack });
      const tokens = await catchBooksError(() =>
        exchange(context, begun.app, {
          grant_type: 'authorization_code',
          code,
          redirect_uri: begun.back,
        }),
      );
      if (!tokens.ok)
        return failed(
          tokens.error.kind === 'ended'
            ? { kind: 'conflict', message: MESSAGES.quickBooksWayBack }
            : explainBooksError(tokens.error),
        );
      return store.tenant(ctx.tenant, async (tx): Promise<Result<QuickBooksState>> => {
        await tx.lock();
        const row = await quickBooksRow(tx);
        if (row?.client_id !== begun.app.clientId || row.environment !== begun.app.environment)
          return failed({ kind: 'conflict', message: MESSAGES.quickBooksWayBack });
        await keepTokens(tx, context, tokens.value);
        // Customers and invoices of another QuickBooks company can have the same numbers.
        if (row.realm_id !== realmId) await forgetAll(tx);
        await tx.sql
          .updateTable('quickbooks')
          .set({
            realm_id: realmId,
            connected_at: ctx.now,
            generation: row.generation + 1,
            renewed_by: null,
            renewed_until: 0,
            held_by: null,
            held_until: 0,
            poll_at: ctx.now,
            tries: 0,
            fault: null,
            ended: false,
            whole_at: null,
            cursor: JSON.stringify(AT_REST),
            ...(row.realm_id !== realmId && { read_at: null }),
          })
          .where('tenant_id', '=', tx.tenant)
          .execute();
        await scheduleRecurring(tx, 'invoices', ctx.now);
        await audit(tx, context, ctx, {
          what: 'quickbooks.connected',
          user: null,
          detail: { environment: row.environment },
        });
        return ok(await loadStored(tx, context, ctx));
      });
    },

    async testQuickBooks(_, ctx) {
      if (!keepsBooks(ctx)) return no();
      const refused = rateLimit.check(ctx.tenant, ctx.now);
      if (refused) return failed(refused);
      const row = await store.tenant(ctx.tenant, quickBooksRow, { readOnly: true });
      const realm = row?.realm_id ?? null;
      const details =
        row && realm !== null
          ? await catchBooksError(() =>
              connectQuickBooks(context, ctx.tenant, row, realm).company(),
            )
          : null;
      return store.tenant(ctx.tenant, async (tx) => {
        if (details?.ok === true) {
          await tx.sql
            .updateTable('quickbooks')
            .set({ poll_at: ctx.now, fault: null, tries: 0 })
            .where('tenant_id', '=', tx.tenant)
            .where('ended', '=', false)
            .execute();
          await scheduleRecurring(tx, 'invoices', ctx.now);
        }
        const all = await loadStored(tx, context, ctx);
        return ok(
          details === null
            ? { ok: false, message: MESSAGES.quickBooksNotConnected, state: all }
            : details.ok
              ? { ok: true, message: t.connected({ company: details.value }), state: all }
              : { ok: false, message: details.error.message, state: all },
        );
      });
    },

    async removeQuickBooks(_, ctx) {
      if (!keepsBooks(ctx)) return no();
      const { app, tokens } = await store.tenant(ctx.tenant, async (tx) => {
        await tx.lock();
        const found = {
          app: await loadApp(tx, context, await quickBooksRow(tx)),
          tokens: await loadTokens(tx, context),
        };
        await storeSecret(tx, context, 'quickbooks', null);
        await storeSecret(tx, context, 'quickbooks-tokens', null);
        await tx.sql.deleteFrom('quickbooks').where('tenant_id', '=', tx.tenant).execute();
        await forgetAll(tx);
        await audit(tx, context, ctx, { what: 'quickbooks.removed', user: null });
        return found;
      });
      if (app !== null && tokens !== null)
        await catchBooksError(() => revoke(context, app, tokens));
      return ok({});
    },
  };
}

/** Only a user with access to the whole provider manages its QuickBooks connection. */
export const keepsBooks = ({ session }: SessionContext): boolean =>
  toScope(session).companies === null;
const no = (): Promise<Result<never>> => Promise.resolve(failed(FORBIDDEN));

const loadBack = async (tx: TenantTx, context: AppContext, ctx: SessionContext): Promise<string> =>
  `${await portalAddress(tx, context, ctx)}${BACK}`;

async function loadStored(
  tx: TenantTx,
  context: AppContext,
  ctx: SessionContext,
): Promise<QuickBooksState> {
  const row = await quickBooksRow(tx);
  const counted = await tx.sql
    .selectFrom('invoice')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirst();
  return {
    environment: row?.environment ?? 'production',
    clientId: row?.client_id ?? '',
    secret: (await readSecret(tx, context, 'quickbooks')) !== null,
    back: await loadBack(tx, context, ctx),
    realm: row?.realm_id ?? null,
    connectedAt: row?.connected_at ?? null,
    ended: row?.ended ?? false,
    readAt: row?.read_at ?? null,
    ...getLastError(row?.fault ?? null),
    invoices: counted?.n ?? 0,
  };
}
