import * as v from 'valibot';

/**
 * The id of a result as text. Text that isn't one of our numbers counts as an unknown id, not as
 * bad input, so the response is the same 404.
 */
export const runId = v.pipe(
  v.string(),
  v.maxLength(64),
  v.transform((id) => (/^\d{1,15}$/.test(id) ? Number(id) : 0)),
);

/**
 * A reference to a result or problem in a body: its number, or its id as lists return it (`_id`,
 * `mongo_id`).
 */
export const runRef = v.union([v.pipe(v.number(), v.safeInteger(), v.minValue(1)), runId]);
