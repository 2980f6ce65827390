import { loadBranding, loadHosts } from '#server/platform/tenancy/branding.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { TenantId, UserId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { ProviderListed } from '#contract/providers/calls.ts';
import { seesUser } from '#contract/users/authority.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import { keepsProvider, providersFrom } from '../../platform/tenancy/providers.ts';
import { addRecurringJobs } from '../../platform/jobs/schedule.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { isPlainUsername, usernameKey } from '../../platform/auth/usernames.ts';
import type { AppContext } from '../../platform/app-context.ts';
import {
  badField,
  FORBIDDEN_RESULT,
  NOT_FOUND_RESULT,
  usernameNotPlain,
} from '../../platform/auth/guards.ts';
import { seesCompany } from '../../platform/tenancy/company-list.ts';
import { invite } from '../users/invite.ts';
import { userEvent } from '../users/users.ts';
import { providerMessages as t } from './messages.en.ts';

/** Thrown to roll back a transaction: the host belongs to another provider. */
class HostTaken extends Error {}
const HOST_TAKEN = failed({ kind: 'conflict', message: MESSAGES.hostTaken });

/** Providers below a provider: a master sees and changes only its own. */
export const providerHandlers = (
  context: AppContext,
): Pick<Handlers, 'listProviders' | 'createProvider' | 'setHosts'> => ({
  async listProviders(_, ctx) {
    const ids =
      ctx.session.companies === null ? await providersFrom(context, ctx.tenant) : [ctx.tenant];
    const listed: ProviderListed[] = [];
    for (const id of ids) listed.push(await listedProvider(context, ctx, id));
    return ok<OutputOf<'listProviders'>>(listed);
  },

  async createProvider({ name, hosts, administrator }, ctx) {
    if (ctx.session.companies !== null) return FORBIDDEN_RESULT;
    if (!isPlainUsername(administrator.username)) return usernameNotPlain('administrator.username');
    const id = context.chance.uuid() as TenantId;
    const user = context.chance.uuid() as UserId;
    const [domain = ''] = hosts;
    if (await isReserved(context, id, hosts)) return HOST_TAKEN;
    const above = await context.store.tenant(
      ctx.tenant,
      ({ sql }) =>
        sql
          .selectFrom('provider')
          .select('branding')
          .where('tenant_id', '=', ctx.tenant)
          .executeTakeFirstOrThrow(),
      { readOnly: true },
    );
    try {
      await context.store.tenant(id, async (tx) => {
        const { sql } = tx;
        await sql
          .insertInto('tenant_list')
          .values({ tenant_id: id, is_default: false, master_id: ctx.tenant })
          .execute();
        await sql
          .insertInto('provider')
          .values({
            tenant_id: id,
            branding: JSON.stringify(brandingBelow(above.branding, id, name, domain)),
          })
          .execute();
        await sql.insertInto('head').values({ tenant_id: id }).execute();
        await addRecurringJobs(tx);
        await takeHosts(tx, hosts);
        // The caller is unknown in the new provider; the audit log of their own provider records
        // them.
        await tx.append(
          [
            userEvent(user, {
              type: 'user.created@1',
              data: { id: user, roles: ['admin', 'super-admin'], companies: null },
            }),
          ],
          { actor: { kind: 'clock' }, subject: null, commandId: null, at: ctx.now },
        );
        await sql
          .insertInto('person')
          .values({
            tenant_id: id,
            id: user,
            username: administrator.username,
            username_key: usernameKey(administrator.username),
            name: administrator.name,
            email: administrator.email,
            password_hash: null,
          })
          .execute();
        await audit(
          tx,
          context,
          { ...ctx, session: null },
          { what: 'provider.made', user: null, detail: { by: ctx.tenant } },
        );
        await invite(
          tx,
          context,
          { ...ctx, session: null },
          { id: user, name: administrator.name, email: administrator.email },
        );
      });
    } catch (error) {
      if (error instanceof HostTaken) return HOST_TAKEN;
      throw error;
    }
    await recorded(context, ctx, 'provider.made', id);
    return ok(await listedProvider(context, ctx, id));
  },

  async setHosts({ id, hosts }, ctx) {
    if (!(await keepsProvider(context, ctx.tenant, ctx.session, id))) return NOT_FOUND_RESULT;
    const { master_id: master } = await context.store.system((sql) =>
      sql
        .selectFrom('tenant_list')
        .select('master_id')
        .where('tenant_id', '=', id)
        .executeTakeFirstOrThrow(),
    );
    if (id === ctx.tenant && master !== null) return FORBIDDEN_RESULT;
    if (await isReserved(context, id, hosts)) return HOST_TAKEN;
    try {
      const done = await context.store.tenant(id, async (tx) => {
        const { sql } = tx;
        const { is_default } = await sql
          .selectFrom('tenant_list')
          .select('is_default')
          .where('tenant_id', '=', id)
          .executeTakeFirstOrThrow();
        if (hosts.length === 0 && !is_default) return badField('hosts', t.hostNeeded);
        await sql
          .deleteFrom('provider_host')
          .where('tenant_id', '=', id)
          .where('host', 'not in', hosts.length === 0 ? [''] : [...hosts])
          .execute();
        await takeHosts(tx, hosts);
        const { branding } = await sql
          .selectFrom('provider')
          .select('branding')
          .where('tenant_id', '=', id)
          .executeTakeFirstOrThrow();
        const [first] = hosts;
        if (first !== undefined && !hosts.includes(branding.domain))
          await sql
            .updateTable('provider')
            .set({ branding: JSON.stringify({ ...branding, domain: first }) })
            .where('tenant_id', '=', id)
            .execute();
        if (id !== ctx.tenant)
          await audit(
            tx,
            context,
            { ...ctx, session: null },
            { what: 'provider.hosts', user: null, detail: { by: ctx.tenant } },
          );
        return ok(null);
      });
      if (!done.ok) return done;
    } catch (error) {
      if (error instanceof HostTaken) return HOST_TAKEN;
      throw error;
    }
    await recorded(context, ctx, 'provider.hosts', id);
    return ok(await listedProvider(context, ctx, id));
  },
});

/**
 * The default provider answers at every unassigned host. No other provider can take its own host,
 * or the machine's names. A name without a dot, or an IP address, is reserved too.
 */
async function isReserved(
  context: AppContext,
  id: TenantId,
  hosts: readonly string[],
): Promise<boolean> {
  const fallback = await context.store.system((sql) =>
    sql
      .selectFrom('tenant_list')
      .select('tenant_id')
      .where('is_default', '=', true)
      .executeTakeFirst(),
  );
  if (fallback?.tenant_id === id) return false;
  const known =
    fallback &&
    (await context.store.tenant(
      fallback.tenant_id,
      ({ sql }) =>
        sql
          .selectFrom('provider')
          .select('branding')
          .where('tenant_id', '=', fallback.tenant_id)
          .executeTakeFirst(),
      { readOnly: true },
    ));
  const own = (known?.branding.domain ?? '')
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[:/].*$/, '');
  return hosts.some((host) => host === own || !host.includes('.') || /^[\d.]+$/.test(host));
}

/**
 * Assigns hosts to the provider. A host belongs to one provider: if any is taken, nothing changes.
 */
async function takeHosts({ tenant, sql }: TenantTx, hosts: readonly string[]): Promise<void> {
  for (const host of new Set(hosts)) {
    await sql
      .insertInto('provider_host')
      .values({ host, tenant_id: tenant })
      .onConflict((on) => on.column('host').doNothing())
      .execute();
    const { tenant_id } = await sql
      .selectFrom('provider_host')
      .select('tenant_id')
      .where('host', '=', host)
      .executeTakeFirstOrThrow();
    if (tenant_id !== tenant) throw new HostTaken(host);
  }
}

/** Returns the parent's branding without its names, pictures, contacts and sign-in methods. */
const brandingBelow = (above: Branding, id: TenantId, name: string, domain: string): Branding => ({
  ...above,
  id,
  name,
  title: name,
  sidebarTitle: name,
  domain,
  favIconUrl: null,
  sidebarLogoUrl: null,
  sidebarLogoDarkUrl: null,
  sidebarLogoWidth: null,
  sidebarLogoHeight: null,
  supportEmail: null,
  supportPhone: null,
  authType: 'db',
  oidc: null,
  microsoft: false,
  securityQuestions: false,
});

const recorded = (
  context: AppContext,
  ctx: SessionContext,
  what: string,
  provider: TenantId,
): Promise<void> =>
  context.store.tenant(ctx.tenant, (tx) =>
    audit(tx, context, ctx, { what, user: null, detail: { provider } }),
  );

/** Returns a provider as the caller sees it: users who manage providers below see all of them. */
const listedProvider = (
  context: AppContext,
  ctx: SessionContext,
  id: TenantId,
): Promise<ProviderListed> =>
  context.store.tenant(
    id,
    async (tx) => {
      const { sql } = tx;
      const reach = ctx.session;
      const branding = await loadBranding(tx);
      const hosts = await loadHosts(tx);
      const { master_id: master } = await sql
        .selectFrom('tenant_list')
        .select('master_id')
        .where('tenant_id', '=', id)
        .executeTakeFirstOrThrow();
      return {
        _id: id,
        name: branding.name,
        hosts,
        master,
        own: id === ctx.tenant,
        companies: (await tx.all('company')).filter((one) => seesCompany(reach, one)).length,
        users: (await tx.all('user')).filter(
          (user) => user.deletedAt === null && seesUser(reach, user),
        ).length,
      };
    },
    { readOnly: true },
  );
