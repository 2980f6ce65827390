import type { Ms } from '#contract/ids.ts';
import { besideEachOther } from '../../platform/jobs/each-provider.ts';
import type { Watch } from '../../platform/jobs/repeat.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { syncTickets } from './ticket-sync.ts';
import { poll } from './poll.ts';
import { work } from './ticket-queue.ts';

const EVERY: Ms = 5_000;

/**
 * Processes tickets every five seconds: applies results, sends changes to the systems, and polls
 * the systems.
 */
export const startTickets = (world: AppContext): Watch =>
  besideEachOther(
    world,
    EVERY,
    'tickets of a provider could not be looked after',
    () => async (tenant) => {
      if (!(await syncTickets(world, tenant))) return;
      await work(world, tenant);
      await poll(world, tenant);
    },
  );
