import { randomBytes, randomUUID } from 'node:crypto';
import type { Chance } from './app-context.ts';

/** The only place of the server that asks for chance. */
export const systemChance: Chance = {
  bytes: (count) => new Uint8Array(randomBytes(count)),
  uuid: () => randomUUID(),
};
