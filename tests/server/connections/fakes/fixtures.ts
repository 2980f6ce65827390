import { afterAll } from 'vitest';
import { type StandIn, vspcStandIn } from './vspc.ts';

export { aField, type Field, getId } from './field.ts';

const open: StandIn[] = [];
afterAll(async () => {
  await Promise.all(open.map((one) => one.outside.stop()));
});

/** A console that ends after the file. */
export async function aConsole(): Promise<StandIn> {
  const one = await vspcStandIn();
  open.push(one);
  return one;
}
