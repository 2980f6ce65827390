import { afterAll } from 'vitest';
import { listen } from './listen.ts';
import type { Query, Outside, Details } from './listen.ts';

export { HERE, json } from './listen.ts';
export type { Query, Outside, Details } from './listen.ts';

const open: Outside[] = [];
afterAll(async () => {
  await Promise.all(open.map((one) => one.stop()));
});

/** Somebody outside whom the server asks; ends after the file. */
export async function outside(
  answer: (request: Query) => Details | Promise<Details>,
  host?: string,
): Promise<Outside> {
  const one = await listen(answer, host);
  open.push(one);
  return one;
}
