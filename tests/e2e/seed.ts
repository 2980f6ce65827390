/**
 * Before the first start: a second technician beside the administrator, and another provider on
 * another host. `node seed.ts <data folder> <password> <operators besides>…`, DATABASE_URL as the
 * server takes it.
 */
import { makeAppContext } from '../../server/make-app-context.ts';
import { systemChance } from '../../server/platform/random.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { firstStart } from '../../server/first-start.ts';
import { makeLog } from '../../server/platform/log.ts';
import { defaultBranding } from '../../server/features/branding/default-branding.ts';
import { makeCompany, makeUser } from '../../server/features/users/create-user.ts';
import { openStore } from '../../server/platform/db/open.ts';
import { makeTenant } from '../../server/platform/db/tenants.ts';
import type { AppContext } from '../../server/platform/app-context.ts';

const [dataDir = '', password = '', ...besides] = process.argv.slice(2);
const log = { ...makeLog(systemClock), info: () => undefined };
const databaseUrl =
  process.env['DATABASE_URL'] === '' ? null : (process.env['DATABASE_URL'] ?? null);
const store = await openStore({ dataDir, databaseUrl, log, clock: systemClock });
const world: AppContext = makeAppContext({
  store,
  clock: systemClock,
  chance: systemChance,
  log,
  config: { port: 0, dataDir, databaseUrl, pageDir: null, trustedProxies: [], secretKey: null },
});
await firstStart(world, password);
const [own] = await store.tenants();
if (own === undefined) throw new Error('no provider was made');
await makeUser(world, own, {
  username: 'dana',
  name: 'Dana Reyes',
  email: 'dana@example.com',
  password,
  roles: ['operator'],
  companies: null,
});
await makeUser(world, own, {
  username: 'rita',
  name: 'Rita Only',
  email: 'rita@example.com',
  password,
  roles: ['read-only'],
  companies: null,
});
for (const username of besides)
  await makeUser(world, own, {
    username,
    name: `${username} besides`,
    email: `${username}@example.com`,
    password,
    roles: ['operator'],
    companies: null,
  });

const other = systemChance.uuid();
await makeTenant(store, {
  tenant: other,
  host: 'other.localhost',
  branding: {
    ...defaultBranding(other, 'Other Backup', 'other.localhost'),
    title: 'Other Portal',
    sidebarTitle: 'Other Portal',
  },
  isDefault: false,
});
await makeCompany(world, other, 'Foreign company');
await makeUser(world, other, {
  username: 'olga',
  name: 'Olga Other',
  email: 'olga@example.org',
  password,
  roles: ['admin', 'operator'],
  companies: null,
});
await store.close();
