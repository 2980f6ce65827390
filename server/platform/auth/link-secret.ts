import { createHash } from 'node:crypto';
import type { Chance } from '../app-context.ts';

/** A secret of an address, a cookie or an upload. Only its hash is stored. */
export interface LinkSecret {
  readonly text: string;
  readonly hash: string;
}

export function makeSecret(chance: Chance): LinkSecret {
  const text = Buffer.from(chance.bytes(32)).toString('base64url');
  return { text, hash: hashSecret(text) };
}

export const hashSecret = (text: string): string => createHash('sha256').update(text).digest('hex');
