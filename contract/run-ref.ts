import * as v from 'valibot';

/**
 * The id of a result as text. One that is no number of ours is an unknown id, not a bad one: the
 * answer is the same 404.
 */
export const runId = v.pipe(
  v.string(),
  v.maxLength(64),
  v.transform((id) => (/^\d{1,15}$/.test(id) ? Number(id) : 0)),
);

/**
 * A result or a problem where a body names it: its number, or its id as the lists give it (`_id`,
 * `mongo_id`).
 */
export const runRef = v.union([v.pipe(v.number(), v.safeInteger(), v.minValue(1)), runId]);
