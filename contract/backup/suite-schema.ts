import * as v from 'valibot';
import { anyId } from '../paging.ts';
import { schemaMessages } from '../schemas.messages.en.ts';

/** Parts of the inputs and outputs that the calls of the cloud suite share. */

/** A company by number, or by the id of `companies`. */
export const companyRef = v.union([
  v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  v.pipe(
    v.string(),
    v.regex(/^[1-9]\d{0,8}$/, () => schemaMessages.companyNumber),
    v.transform(Number),
  ),
  anyId,
]);
export const listedIds = v.pipe(v.array(anyId), v.maxLength(500));

/** Pages of lists: `cursor` is `next` of the page before. */
export const CURSOR = {
  cursor: v.optional(v.pipe(v.string(), v.maxLength(500))),
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[1-9]\d{0,3}$/, () => schemaMessages.pageRows),
      v.transform(Number),
      v.maxValue(1_000),
    ),
  ),
};
/** A page of a list: after a cursor, or after a number of rows. */
export const OFFSET = {
  offset: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,7}$/, () => schemaMessages.offset),
      v.transform(Number),
    ),
  ),
  ...CURSOR,
};
/** `next` null: this was the last page. `count` null: unknown. */
export const listPageSchema = <S extends v.GenericSchema>(row: S) =>
  v.object({ rows: v.array(row), next: v.nullable(v.string()), count: v.nullable(v.number()) });
export const idOut = v.object({ _id: v.string(), id: v.string() });

/**
 * A code that a person enters on a page of the cloud. `expiresInMs`: from the answer on, also where the
 * clock is wrong (G13). `intervalMs`: between two checks.
 */
export const deviceCodeOut = v.object({
  id: v.string(),
  userCode: v.string(),
  verificationUrl: v.string(),
  expiresAt: v.number(),
  expiresInMs: v.number(),
  intervalMs: v.number(),
});
export const DEVICE_CODE_STATES = [
  'pending',
  'slow-down',
  'granted',
  'declined',
  'expired',
] as const;
