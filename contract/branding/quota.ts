import type { Bytes } from '../ids.ts';
import { quotaMessages } from './messages.en.ts';

/** How much sources may store per day: each ingest key, and all keys together. */
interface Quota {
  readonly keyBytes: Bytes;
  readonly providerBytes: Bytes;
}

/** Returns why the limit of one key is invalid, or null if it is valid. */
export const findKeyQuotaError = ({ keyBytes, providerBytes }: Quota): string | null =>
  keyBytes > providerBytes ? quotaMessages.keyAboveAll : null;
