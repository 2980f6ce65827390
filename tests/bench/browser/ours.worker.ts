import { connectTo } from '../../../workers/disk/connection.ts';
import { openProfiles } from '../../../workers/disk/profiles.ts';
import { preopen } from '../../../workers/startup/preopen.ts';
import { BENCH_NOW } from '../now.ts';
import { serve } from './serve.ts';

/**
 * As the worker of the product: the databases are being opened while the store itself is loaded.
 * What makes the data is loaded when it is asked for.
 */
const begun = preopen(
  { openRegister: () => openProfiles(), connect: (owner) => connectTo(owner) },
  () => BENCH_NOW,
);
serve(
  Promise.all([import('./ours-store.ts'), import('../../../workers/startup/cold-start.ts')]).then(
    ([{ storeOn }]) => storeOn(begun),
  ),
  async (runs) => (await import('./ours-data.ts')).getData(runs),
);
