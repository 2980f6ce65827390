import { outside } from '../outbound/outside.ts';
import { issuerAt } from './issuer-at.ts';
import type { Issuer } from './issuer-at.ts';

export { jwt, keys } from './issuer-at.ts';
export type { Asking, Issuer } from './issuer-at.ts';

/** For as long as the test file runs. */
export const issuer = (): Promise<Issuer> => issuerAt(outside);
