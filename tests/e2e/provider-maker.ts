/**
 * Creates providers on the database of a running server, one for each message, and ends with its
 * parent: `node provider-maker.ts <data folder> <password>`, DATABASE_URL as the server takes it.
 */
import './hash-once.ts';
import { addUsers, makeOtherProvider, makeProvider, openData } from './seed-provider.ts';
import type { NewProvider } from './shared-server.ts';

const [dataDir = '', password = ''] = process.argv.slice(2);
const context = await openData(dataDir, process.env['DATABASE_URL'] ?? null);

/** The parent waits for the answer before it asks for the next one. */
async function make({ host, otherHost, name, besides }: NewProvider): Promise<void> {
  const tenant = await makeProvider(context, host, name, password);
  await addUsers(context, tenant, password, besides);
  await makeOtherProvider(context, otherHost, password);
  process.send?.({ host });
}
process.on('message', (provider: NewProvider) => void make(provider));
process.on('disconnect', () => process.exit(0));
