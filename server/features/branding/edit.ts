import * as v from 'valibot';
import { BrandingSchema } from '#contract/branding/branding.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import { loadBranding as shownBranding } from '../../platform/tenancy/branding.ts';
import { NOT_FOUND } from '../../platform/http/envelope.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import { keepsProvider } from '../../platform/tenancy/providers.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { keepAsset } from './assets.ts';

type Names = 'editBranding' | 'getProviderBranding' | 'putBrandAsset';

/**
 * The branding of a provider that the caller manages: their own, or one below it. Any other returns
 * not found.
 */
export const brandEditHandlers = (context: AppContext): Pick<Handlers, Names> => ({
  async getProviderBranding({ id }, ctx) {
    return (await keepsProvider(context, ctx.tenant, ctx.session, id))
      ? ok(await context.store.tenant(id, shownBranding, { readOnly: true }))
      : failed(NOT_FOUND);
  },

  async editBranding({ id, ...fields }, ctx) {
    if (!(await keepsProvider(context, ctx.tenant, ctx.session, id))) return failed(NOT_FOUND);
    const names = Object.keys(fields).join(', ');
    const branding = await context.store.tenant(id, async (tx) => {
      await tx.lock();
      const next = v.parse(BrandingSchema, { ...(await readBranding(tx)), ...fields });
      await keepBranding(tx, next);
      await audit(tx, context, id === ctx.tenant ? ctx : { ...ctx, session: null }, {
        what: 'branding.changed',
        user: null,
        detail: { fields: names },
      });
      return shownBranding(tx);
    });
    await recordAbove(context, ctx, id, 'branding.changed', names);
    return ok(branding);
  },

  async putBrandAsset({ id, ...asset }, ctx) {
    if (!(await keepsProvider(context, ctx.tenant, ctx.session, id))) return failed(NOT_FOUND);
    const stored = await keepAsset(context, id, asset, ctx.now, async (tx, url) => {
      await tx.lock();
      const branding = await readBranding(tx);
      if (asset.name === 'logo') await keepBranding(tx, { ...branding, sidebarLogoUrl: url });
      if (asset.name === 'logo-dark')
        await keepBranding(tx, { ...branding, sidebarLogoDarkUrl: url });
      if (asset.name === 'favicon') await keepBranding(tx, { ...branding, favIconUrl: url });
      await audit(tx, context, id === ctx.tenant ? ctx : { ...ctx, session: null }, {
        what: 'branding.picture',
        user: null,
        detail: { name: asset.name },
      });
    });
    if (stored.ok) await recordAbove(context, ctx, id, 'branding.picture', asset.name);
    return stored;
  },
});

const readBranding = async ({ tenant, sql }: TenantTx): Promise<Branding> =>
  (
    await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow()
  ).branding;

const keepBranding = async ({ tenant, sql }: TenantTx, branding: Branding): Promise<void> =>
  void (await sql
    .updateTable('provider')
    .set({ branding: JSON.stringify(branding) })
    .where('tenant_id', '=', tenant)
    .execute());

/**
 * In a provider below, its own audit record names no user; the record in the caller's own provider
 * does.
 */
async function recordAbove(
  context: AppContext,
  ctx: SessionContext,
  id: string,
  what: string,
  fields: string,
): Promise<void> {
  if (id !== ctx.tenant)
    await context.store.tenant(ctx.tenant, (tx) =>
      audit(tx, context, ctx, { what, user: null, detail: { fields, provider: id } }),
    );
}
