import {
  type BillingSettings,
  DEFAULT_BILLING,
  isForSuperAdmins,
} from '#contract/billing/service-levels.ts';
import { MESSAGES } from '#contract/messages.ts';
import { ok } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { badField, FORBIDDEN_RESULT } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { allowedUrl } from '#server/platform/outbound/fetch.ts';
import { readSecret, storeSecret } from '#server/platform/outbound/secret.ts';
import type { Handlers } from '#server/platform/http/handler.ts';

type Names = 'getBillingSettings' | 'setBillingSettings' | 'listServiceLevels';

/** BILL-9: a provider's own prices, on the server. */
export const billingSettingsHandlers = (context: AppContext): Pick<Handlers, Names> => ({
  getBillingSettings: (_, ctx) =>
    context.store.tenant(ctx.tenant, async (tx) => ok(await loadBillingSettings(tx)), {
      readOnly: true,
    }),

  setBillingSettings: async (settings, ctx) =>
    ctx.session.companies !== null
      ? FORBIDDEN_RESULT
      : context.store.tenant(ctx.tenant, async (tx) => {
          await tx.lock();
          // A password belongs to one server and is not sent to another.
          const before = (await loadBillingSettings(tx)).solarWinds;
          if (before?.url !== settings.solarWinds?.url) {
            const wrong = findAddressError(context, settings.solarWinds?.url);
            if (wrong !== null) return badField('solarWinds.url', wrong);
            await storeSecret(tx, context, 'solarwinds', null);
          }
          if (settings.recaptcha.isOn) {
            if (settings.recaptcha.siteKey === null)
              return badField('recaptcha.siteKey', MESSAGES.captchaKeyMissing);
            if ((await readSecret(tx, context, 'recaptcha')) === null)
              return badField('recaptcha.isOn', MESSAGES.captchaSecretMissing);
          }
          const stored = { settings: JSON.stringify(settings) };
          await tx.sql
            .insertInto('billing_setting')
            .values({ tenant_id: tx.tenant, ...stored })
            .onConflict((on) => on.column('tenant_id').doUpdateSet(stored))
            .execute();
          await audit(tx, context, ctx, { what: 'billing.changed', user: null });
          return ok(await loadBillingSettings(tx));
        }),

  listServiceLevels: (_, { tenant, session }) =>
    context.store.tenant(
      tenant,
      async (tx) => {
        const { currency, levels } = await loadBillingSettings(tx);
        const isSuperAdmin = session.roles.includes('super-admin');
        return ok({
          currency,
          levels: levels
            .filter(
              ({ level, isOffered }) => isOffered && (isSuperAdmin || !isForSuperAdmins(level)),
            )
            .map(({ level, userMills, gigabyteMills }) => ({ level, userMills, gigabyteMills })),
        });
      },
      { readOnly: true },
    ),
});

/** Returns why the server may not request an address. */
function findAddressError(context: AppContext, address: string | undefined): string | null {
  try {
    if (address !== undefined) allowedUrl(context, address);
    return null;
  } catch (error) {
    if (error instanceof OutboundError) return error.message;
    throw error;
  }
}

export async function loadBillingSettings({ tenant, sql }: TenantTx): Promise<BillingSettings> {
  const row = await sql
    .selectFrom('billing_setting')
    .select('settings')
    .where('tenant_id', '=', tenant)
    .executeTakeFirst();
  return row?.settings ?? DEFAULT_BILLING;
}
