import type { Bytes } from '../ids.ts';

/** How much sources may store on a day: each ingest key, and all of them together. */
interface Quota {
  readonly keyBytes: Bytes;
  readonly providerBytes: Bytes;
}

/** What is wrong with the limit of one key; null where it can be set. */
export const keyQuotaFault = ({ keyBytes, providerBytes }: Quota): string | null =>
  keyBytes > providerBytes ? "One key can't store more than all keys together." : null;
