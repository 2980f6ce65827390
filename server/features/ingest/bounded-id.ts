import { createHash } from 'node:crypto';
import { cutText } from '#contract/stored-text.ts';

/**
 * The maximum length of an id of a job, run, computer or repository that the event log and the
 * columns store.
 */
const ID_CHARS = 300;
/** Length of the hash, in base64url: 132 bits. */
const HASH_CHARS = 22;

/**
 * Returns an id that can be stored, for an id of any length (TEXT-3). A long id becomes its
 * beginning and a hash of the whole id, so that equal ids stay equal and ids with the same
 * beginning stay different.
 */
export const boundedId = (id: string, max: number = ID_CHARS): string =>
  id.length <= max
    ? id
    : `${cutText(id, max - HASH_CHARS - 1)}~${createHash('sha256').update(id).digest('base64url').slice(0, HASH_CHARS)}`;
