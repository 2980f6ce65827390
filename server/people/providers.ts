import type { GivesOf } from '#contract/calls.ts';
import type { Branding } from '#contract/brand/branding.ts';
import type { TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { ProviderListed } from '#contract/people/provider-calls.ts';
import { seesUser } from '#contract/people/authority.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../audit.ts';
import type { Ask, Handlers } from '../http/handler.ts';
import { keepsProvider, providersFrom } from '../providers.ts';
import type { TenantTx } from '../store/store.ts';
import { usernameKey } from '../usernames.ts';
import type { World } from '../world.ts';
import { badField, FORBIDDEN, NOT_FOUND, signedOf } from './asking.ts';
import { seesCompany } from './company-list.ts';
import { invite } from './invite.ts';
import { about } from './users.ts';

/** Thrown to take a transaction back: the name leads to another provider. */
class HostTaken extends Error {}
const HOST_TAKEN = failed({ kind: 'conflict', message: MESSAGES.hostTaken });
const LAST_HOST = 'A provider that is not the default one needs a host name.';

/** Providers below providers: a master sees and changes its own ones, and no other. */
export const providerHandlers = (
  world: World,
): Pick<Handlers, 'listProviders' | 'createProvider' | 'setHosts'> => ({
  async listProviders(_, ask) {
    const ids =
      signedOf(ask).companies === null ? await providersFrom(world, ask.tenant) : [ask.tenant];
    const listed: ProviderListed[] = [];
    for (const id of ids) listed.push(await listedProvider(world, ask, id));
    return ok<GivesOf<'listProviders'>>(listed);
  },

  async createProvider({ name, hosts, administrator }, ask) {
    if (signedOf(ask).companies !== null) return FORBIDDEN;
    const id = world.chance.uuid();
    const user = world.chance.uuid();
    const [domain = ''] = hosts;
    if (await isReserved(world, id, hosts)) return HOST_TAKEN;
    const above = await world.store.tenant(
      ask.tenant,
      ({ sql }) =>
        sql
          .selectFrom('provider')
          .select('branding')
          .where('tenant_id', '=', ask.tenant)
          .executeTakeFirstOrThrow(),
      { readOnly: true },
    );
    try {
      await world.store.tenant(id, async (tx) => {
        const { sql } = tx;
        await sql
          .insertInto('tenant_list')
          .values({ tenant_id: id, is_default: false, master_id: ask.tenant })
          .execute();
        await sql
          .insertInto('provider')
          .values({
            tenant_id: id,
            branding: JSON.stringify(brandingBelow(above.branding, id, name, domain)),
          })
          .execute();
        await sql.insertInto('head').values({ tenant_id: id }).execute();
        await takeHosts(tx, hosts);
        // Whoever made it is nobody here: its own record says who it was.
        await tx.append(
          [
            about(user, {
              type: 'user.made@1',
              data: { id: user, roles: ['admin', 'super-admin'], companies: null },
            }),
          ],
          { actor: { is: 'clock' }, subject: null, commandId: null, at: ask.now },
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
          world,
          { ...ask, signed: null },
          { what: 'provider.made', user: null, detail: { by: ask.tenant } },
        );
        await invite(
          tx,
          world,
          { ...ask, signed: null },
          { id: user, name: administrator.name, email: administrator.email },
        );
      });
    } catch (error) {
      if (error instanceof HostTaken) return HOST_TAKEN;
      throw error;
    }
    await recorded(world, ask, 'provider.made', id);
    return ok(await listedProvider(world, ask, id));
  },

  async setHosts({ id, hosts }, ask) {
    if (!(await keepsProvider(world, ask.tenant, signedOf(ask), id))) return NOT_FOUND;
    const { master_id: master } = await world.store.system((sql) =>
      sql
        .selectFrom('tenant_list')
        .select('master_id')
        .where('tenant_id', '=', id)
        .executeTakeFirstOrThrow(),
    );
    if (id === ask.tenant && master !== null) return FORBIDDEN;
    if (await isReserved(world, id, hosts)) return HOST_TAKEN;
    try {
      const done = await world.store.tenant(id, async (tx) => {
        const { sql } = tx;
        const { is_default } = await sql
          .selectFrom('tenant_list')
          .select('is_default')
          .where('tenant_id', '=', id)
          .executeTakeFirstOrThrow();
        if (hosts.length === 0 && !is_default) return badField('hosts', LAST_HOST);
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
        if (id !== ask.tenant)
          await audit(
            tx,
            world,
            { ...ask, signed: null },
            { what: 'provider.hosts', user: null, detail: { by: ask.tenant } },
          );
        return ok(null);
      });
      if (!done.ok) return done;
    } catch (error) {
      if (error instanceof HostTaken) return HOST_TAKEN;
      throw error;
    }
    await recorded(world, ask, 'provider.hosts', id);
    return ok(await listedProvider(world, ask, id));
  },
});

/**
 * The default provider answers at every name that nobody has: nobody else takes the one it is known
 * by, nor the machine's own names. A name that is no whole one could be anybody's.
 */
async function isReserved(world: World, id: TenantId, hosts: readonly string[]): Promise<boolean> {
  const fallback = await world.store.system((sql) =>
    sql
      .selectFrom('tenant_list')
      .select('tenant_id')
      .where('is_default', '=', true)
      .executeTakeFirst(),
  );
  if (fallback?.tenant_id === id) return false;
  const known =
    fallback &&
    (await world.store.tenant(
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

/** Each host leads to one provider: all of them are this one's, or nothing is done. */
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

/** The look of the one above, without its names, pictures, contacts and ways to sign in. */
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
  securityQuestions: false,
});

const recorded = (world: World, ask: Ask, what: string, provider: TenantId): Promise<void> =>
  world.store.tenant(ask.tenant, (tx) =>
    audit(tx, world, ask, { what, user: null, detail: { provider } }),
  );

/** Of what one sees there: who keeps providers below sees all of them. */
const listedProvider = (world: World, ask: Ask, id: TenantId): Promise<ProviderListed> =>
  world.store.tenant(
    id,
    async (tx) => {
      const { sql } = tx;
      const reach = signedOf(ask);
      const { branding } = await sql
        .selectFrom('provider')
        .select('branding')
        .where('tenant_id', '=', id)
        .executeTakeFirstOrThrow();
      const hosts = (
        await sql
          .selectFrom('provider_host')
          .select('host')
          .where('tenant_id', '=', id)
          .orderBy('host')
          .execute()
      ).map(({ host }) => host);
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
        own: id === ask.tenant,
        companies: (await tx.all('company')).filter((one) => seesCompany(reach, one)).length,
        users: (await tx.all('user')).filter(
          (user) => user.deletedAt === null && seesUser(reach, user),
        ).length,
      };
    },
    { readOnly: true },
  );
