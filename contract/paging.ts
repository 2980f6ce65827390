import * as v from 'valibot';

const NOBODY = '00000000-0000-0000-0000-000000000000';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** An id that is no id of ours is an unknown one, not a bad one: the answer is the same 404. */
export const anyId = v.pipe(
  v.string(),
  v.maxLength(64),
  v.transform((id) => (UUID.test(id) ? id.toLowerCase() : NOBODY)),
);

const whole = (most: number) =>
  v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/), v.transform(Number), v.maxValue(most));
/** A moment in a query: milliseconds, or the API's own form `YYYY-MM-DDTHH:mm:ss.SSSZ`. */
export const moment = v.pipe(
  v.string(),
  v.regex(/^(\d{1,15}|\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?Z)?)$/),
  v.transform((text) => (/^\d+$/.test(text) ? Number(text) : Date.parse(text))),
  v.finite(),
);

/** Words that are looked for, in any case. */
export const words = v.optional(v.pipe(v.string(), v.trim(), v.maxLength(100)));
/** Pages begin with 1. */
export const PAGE = { page: v.optional(whole(100_000)), pageSize: v.optional(whole(200)) };
export const PAGE_SIZE = 10;
/** Rows of a page, and how many there are in all. */
export const pageOf = <S extends v.GenericSchema>(row: S) =>
  v.object({ rows: v.array(row), count: v.number(), page: v.number(), pageSize: v.number() });
