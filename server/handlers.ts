import { accountHandlers } from './account/handlers.ts';
import { brandHandlers } from './brand/handlers.ts';
import type { Handlers } from './http/handler.ts';
import { executionHandlers } from './monitoring/executions.ts';
import { ingestHandlers } from './monitoring/ingest.ts';
import { keyHandlers } from './monitoring/keys.ts';
import { syncHandlers } from './sync/handlers.ts';
import type { World } from './world.ts';

/** Every call of the contract has its handler here: one that is missing does not compile. */
export const allHandlers = (world: World): Handlers => ({
  ...brandHandlers(world), ...accountHandlers(world), ...syncHandlers(world), ...executionHandlers(world), ...keyHandlers(world), ...ingestHandlers(world),
});
