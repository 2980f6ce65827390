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
const world = await openData(dataDir, databaseUrl === '' ? null : databaseUrl);
await firstStart(world, password);
const [own] = await world.store.tenants();
if (own === undefined) throw new Error('no provider was made');
await addUsers(world, own, password, besides);
await makeOtherProvider(world, 'other.localhost', password);
await world.store.close();
