import { afterAll } from 'vitest';
import { listen } from './listen.ts';
import type { Asked, Outside, Told } from './listen.ts';

export { HERE, json } from './listen.ts';
export type { Asked, Outside, Told } from './listen.ts';

const open: Outside[] = [];
afterAll(async () => {
  await Promise.all(open.map((one) => one.stop()));
});

/** Somebody outside whom the server asks; ends after the file. */
export async function outside(
  tell: (asked: Asked) => Told | Promise<Told>,
  host?: string,
): Promise<Outside> {
  const one = await listen(tell, host);
  open.push(one);
  return one;
}
