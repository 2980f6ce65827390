import type { Ms } from '#contract/ids.ts';
import { besideEachOther } from '../each-provider.ts';
import type { Watch } from '../repeat.ts';
import type { AppContext } from '../world.ts';
import { follow } from './ticket-follow.ts';
import { poll } from './ticket-poll.ts';
import { work } from './ticket-work.ts';

const EVERY: Ms = 5_000;

/**
 * Looks after tickets every five seconds: what results mean for them, what their systems are to be
 * told, what their systems say.
 */
export const startTickets = (world: AppContext): Watch =>
  besideEachOther(
    world,
    EVERY,
    'tickets of a provider could not be looked after',
    () => async (tenant) => {
      if (!(await follow(world, tenant))) return;
      await work(world, tenant);
      await poll(world, tenant);
    },
  );
