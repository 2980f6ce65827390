import { afterAll } from 'vitest';
import { listen } from './listen.ts';
import type { Asked, Outside, Told } from './listen.ts';

export { json } from './listen.ts';
export type { Asked, Outside, Told } from './listen.ts';

/** What the operator of a test's server allows: this very machine, without TLS. The key is named, so that several worlds open the same secrets. */
export const HERE = { outbound: { allow: ['127.0.0.0/8', '::1'], http: true }, secretKey: 'c2VjcmV0IGtleSBvZiBhIHRlc3QsIDMyIGJ5dGVzISE' } as const;

const open: Outside[] = [];
afterAll(async () => { await Promise.all(open.map((one) => one.stop())); });

/** Somebody outside whom the server asks; ends after the file. */
export async function outside(tell: (asked: Asked) => Told | Promise<Told>, host?: string): Promise<Outside> {
  const one = await listen(tell, host);
  open.push(one);
  return one;
}
