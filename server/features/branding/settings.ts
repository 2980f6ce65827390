import { findKeyQuotaError } from '#contract/branding/quota.ts';
import type { StoredSettings, settingsCalls } from '#contract/branding/settings-calls.ts';
import { SECRET_NAMES } from '#contract/branding/settings.ts';
import type { ProviderSettings, SecretName } from '#contract/branding/settings.ts';
import type { TenantId } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import { NOT_FOUND } from '../../platform/http/envelope.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import { releaseSlotDuring } from '../../platform/http/concurrency.ts';
import { forgetUsage } from '../../platform/tenancy/ingest-usage.ts';
import { makePerMinuteLimit } from '../../platform/rate-limit/per-minute.ts';
import { storeSecret } from '../../platform/outbound/secret.ts';
import { keepsProvider } from '../../platform/tenancy/providers.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { tryGateway } from './test-gateway.ts';
import { loadProviderSettings } from '../../platform/tenancy/provider-settings.ts';

/** Connection tests reach external systems, so they are limited per minute and provider. */
const TRIES = 10;

export function settingsHandlers(context: AppContext): Pick<Handlers, keyof typeof settingsCalls> {
  const rateLimit = makePerMinuteLimit(TRIES);
  return {
    getProviderSettings: ({ id }, ctx) =>
      forOne(context, ctx, id, loadSettings, { readOnly: true }),

    async setProviderSettings({ id, ...changes }, ctx) {
      const error = changes.ingestQuota ? findKeyQuotaError(changes.ingestQuota) : null;
      if (error !== null) return badQuota(error);
      return changeOne(
        context,
        ctx,
        id,
        { what: 'settings.changed', detail: { fields: Object.keys(changes).toSorted().join(',') } },
        async (tx) => {
          await tx.lock();
          const { settings: before } = await loadSettings(tx);
          const after: ProviderSettings = { ...before, ...changes };
          await tx.sql
            .updateTable('provider')
            .set({ settings: JSON.stringify(after) })
            .where('tenant_id', '=', tx.tenant)
            .execute();
          forgetUsage(tx);
          // A secret belongs to one address. If the address changes, the stored secret is deleted,
          // so that it is not sent elsewhere.
          for (const name of SECRET_NAMES)
            if (getAddress(before, name) !== getAddress(after, name))
              await storeSecret(tx, context, name, null);
          return loadSettings(tx);
        },
      );
    },

    setProviderSecret: ({ id, name, value }, ctx) =>
      changeOne(
        context,
        ctx,
        id,
        { what: value === null ? 'secret.removed' : 'secret.set', detail: { name } },
        async (tx) => {
          await storeSecret(tx, context, name, value);
          return { secrets: (await loadSettings(tx)).secrets };
        },
      ),

    async testProviderSettings({ id, what }, ctx) {
      const refused = rateLimit.check(ctx.tenant, ctx.now);
      if (refused) return failed(refused);
      const to = await loadAddressee(context, ctx);
      const found = await forOne(context, ctx, id, (tx) => tryGateway(tx, context, what, to));
      // Runs outside of the transaction, because the other side can take time.
      return found.ok ? ok(await releaseSlotDuring(found.value)) : found;
    },
  };
}

const badQuota = (message: string): Result<never> =>
  failed({
    kind: 'bad-input',
    message,
    issues: [{ path: 'ingestQuota.keyBytes', message }],
  });

/**
 * Runs `work` in a provider that the caller manages: their own or one below it, if they see the
 * whole provider. Any other returns not found.
 */
async function forOne<T>(
  context: AppContext,
  { tenant, session }: SessionContext,
  id: TenantId,
  work: (tx: TenantTx) => Promise<T>,
  how: { readonly readOnly?: boolean } = {},
): Promise<Result<T>> {
  return (await keepsProvider(context, tenant, session, id))
    ? ok(await context.store.tenant(id, work, how))
    : failed(NOT_FOUND);
}

/**
 * Like `forOne`, with an audit record. In a provider below, the record names no user; the record in
 * the caller's own provider does.
 */
async function changeOne<T>(
  context: AppContext,
  ctx: SessionContext,
  id: TenantId,
  { what, detail }: { readonly what: string; readonly detail: Readonly<Record<string, string>> },
  work: (tx: TenantTx) => Promise<T>,
): Promise<Result<T>> {
  const own = ctx.tenant === id;
  const recorded = { what, user: null, detail: { ...detail, provider: id } };
  const done = await forOne(context, ctx, id, async (tx) => {
    await audit(tx, context, own ? ctx : { ...ctx, session: null }, recorded);
    return work(tx);
  });
  if (done.ok && !own)
    await context.store.tenant(ctx.tenant, (tx) => audit(tx, context, ctx, recorded));
  return done;
}

async function loadSettings(tx: TenantTx): Promise<StoredSettings> {
  const { tenant, sql } = tx;
  const settings = await loadProviderSettings(tx);
  const rows = await sql
    .selectFrom('secret')
    .select('name')
    .where('tenant_id', '=', tenant)
    .where('name', 'in', [...SECRET_NAMES])
    .execute();
  return {
    settings,
    secrets: SECRET_NAMES.filter((name) => rows.some((row) => row.name === name)),
  };
}

const loadAddressee = (
  context: AppContext,
  { tenant, session }: SessionContext,
): Promise<{ readonly email: string | null; readonly phone: string | null }> =>
  context.store.tenant(
    tenant,
    async ({ sql }) => {
      const person = await sql
        .selectFrom('person')
        .select(['email', 'mobile_phone'])
        .where('tenant_id', '=', tenant)
        .where('id', '=', session.userId)
        .executeTakeFirst();
      return { email: person?.email ?? null, phone: person?.mobile_phone ?? null };
    },
    { readOnly: true },
  );

/** Returns the fields that define where a secret is sent. */
function getAddress(
  { mail, sms, directory, oidc, microsoft, sso }: ProviderSettings,
  name: SecretName,
): string {
  const parts: Readonly<Record<SecretName, readonly unknown[]>> = {
    mail: [mail?.host, mail?.port, mail?.security, mail?.username],
    sms: [sms?.url, sms?.account],
    directory: [directory?.url, directory?.serviceDn, directory?.ca],
    oidc: [oidc?.issuer, oidc?.clientId],
    microsoft: [microsoft?.clientId],
    vac: [sso?.vac?.url],
    vcd: [sso?.vcd?.url, sso?.vcd?.organization],
    zerto: [sso?.zerto?.url, sso?.zerto?.username],
  };
  return JSON.stringify(parts[name]);
}
