import type { UserId } from '#contract/ids.ts';

/**
 * The id of no user: queried if there is no such user, so that both cases take the same steps (G36).
 */
export const NOBODY = '00000000-0000-0000-0000-000000000000' as UserId;
