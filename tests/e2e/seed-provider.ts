import { makeAppContext } from '../../server/make-app-context.ts';
import { systemChance } from '../../server/platform/random.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { makeLog } from '../../server/platform/log.ts';
import { defaultBranding } from '../../server/features/branding/default-branding.ts';
import { makeCompany, makeUser } from '../../server/features/users/create-user.ts';
import { openStore } from '../../server/platform/db/open.ts';
import { makeTenant } from '../../server/platform/db/tenants.ts';
import type { AppContext } from '../../server/platform/app-context.ts';
import type { TenantId } from '../../contract/ids.ts';

/** Opens the data of a server. `databaseUrl`: null for a database in the folder. */
export async function openData(dataDir: string, databaseUrl: string | null): Promise<AppContext> {
  const log = { ...makeLog(systemClock), info: () => undefined };
  const store = await openStore({ dataDir, databaseUrl, log, clock: systemClock });
  return makeAppContext({
    store,
    clock: systemClock,
    chance: systemChance,
    log,
    config: { port: 0, dataDir, databaseUrl, pageDir: null, trustedProxies: [], secretKey: null },
  });
}

/** Creates a second technician, a reader, and more operators (`besides`). */
export async function addUsers(
  context: AppContext,
  tenant: TenantId,
  password: string,
  besides: readonly string[],
): Promise<void> {
  const dana = { username: 'dana', name: 'Dana Reyes', roles: ['operator'] } as const;
  const rita = { username: 'rita', name: 'Rita Only', roles: ['read-only'] } as const;
  const others = besides.map(
    (username) => ({ username, name: `${username} besides`, roles: ['operator'] }) as const,
  );
  for (const user of [dana, rita, ...others])
    await makeUser(context, tenant, {
      ...user,
      email: `${user.username}@example.com`,
      password,
      companies: null,
    });
}

/** Creates a provider with a company and an administrator, as the first start does. */
export async function makeProvider(
  context: AppContext,
  host: string,
  name: string,
  password: string,
): Promise<TenantId> {
  const tenant = context.chance.uuid();
  await makeTenant(context.store, {
    tenant,
    host,
    branding: defaultBranding(tenant, name, host),
    isDefault: false,
  });
  await makeCompany(context, tenant, 'First company');
  await makeUser(context, tenant, {
    username: 'admin',
    name: 'Administrator',
    email: 'admin@example.com',
    password,
    roles: ['admin', 'operator', 'super-admin'],
    companies: null,
  });
  return tenant;
}

/** Creates another provider, whose people belong to nobody else. */
export async function makeOtherProvider(
  context: AppContext,
  host: string,
  password: string,
): Promise<void> {
  const tenant = context.chance.uuid();
  await makeTenant(context.store, {
    tenant,
    host,
    branding: {
      ...defaultBranding(tenant, 'Other Backup', host),
      title: 'Other Portal',
      sidebarTitle: 'Other Portal',
    },
    isDefault: false,
  });
  await makeCompany(context, tenant, 'Foreign company');
  await makeUser(context, tenant, {
    username: 'olga',
    name: 'Olga Other',
    email: 'olga@example.org',
    password,
    roles: ['admin', 'operator'],
    companies: null,
  });
}
