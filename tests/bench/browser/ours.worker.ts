import { connectTo } from '../../../workers/disk/connection.ts';
import { openRegister } from '../../../workers/disk/register.ts';
import { openEarly } from '../../../workers/early.ts';
import { BENCH_NOW } from '../now.ts';
import { serve } from './serve.ts';

/**
 * As the worker of the product: the databases are being opened while the store itself is loaded.
 * What makes the data is loaded when it is asked for.
 */
const begun = openEarly(
  { openRegister: () => openRegister(), connect: (owner) => connectTo(owner) },
  () => BENCH_NOW,
);
serve(
  Promise.all([import('./ours-store.ts'), import('../../../workers/opening.ts')]).then(
    ([{ storeOn }]) => storeOn(begun),
  ),
  async (runs) => (await import('./ours-data.ts')).dataOf(runs),
);
