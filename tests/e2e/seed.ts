/**
 * Before the first start: a second technician beside the administrator, and another provider on
 * another host. `node seed.ts <data folder> <password> <operators besides>…`, DATABASE_URL as the
 * server takes it.
 */
import './hash-once.ts';
import { firstStart } from '../../server/first-start.ts';
import { addUsers, makeOtherProvider, openData } from './seed-provider.ts';

const [dataDir = '', password = '', ...besides] = process.argv.slice(2);
const databaseUrl = process.env['DATABASE_URL'] ?? '';
const context = await openData(dataDir, databaseUrl === '' ? null : databaseUrl);
await firstStart(context, password);
const [own] = await context.store.tenants();
if (own === undefined) throw new Error('no provider was made');
await addUsers(context, own, password, besides);
await makeOtherProvider(context, 'other.localhost', password);
await context.store.close();
