import { randomBytes, randomUUID } from 'node:crypto';
import type { Chance } from './app-context.ts';

/** The only place in the server that reads random numbers. */
export const systemChance: Chance = {
  bytes: (count) => new Uint8Array(randomBytes(count)),
  uuid: () => randomUUID(),
};
