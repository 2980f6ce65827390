import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '../app-context.ts';
import type { TenantTx } from '../db/store.ts';
import type { JobHandler } from './job-types.ts';

const EVERY: Ms = 3_600_000;

/** Does each task once an hour, also if another one fails. */
export const upkeep =
  (
    context: AppContext,
    tasks: readonly ((tx: TenantTx, now: Ms) => Promise<void>)[],
  ): JobHandler<'upkeep'> =>
  async ({ tenant, now }) => {
    const failures: unknown[] = [];
    for (const task of tasks)
      await context.store
        .tenant(tenant, (tx) => task(tx, now))
        .catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
    return now + EVERY;
  };
