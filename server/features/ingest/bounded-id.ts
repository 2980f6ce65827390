import { createHash } from 'node:crypto';
import { cutText } from '#contract/stored-text.ts';

/**
 * Characters of an id that names a job, a run, a computer or a repository: what the event log and
 * the columns hold.
 */
const ID_CHARS = 300;
/** Of the hash, in base64url: 132 bits. */
const HASH_CHARS = 22;

/**
 * An id of any length as one that can be kept (TEXT-3). One that is too long becomes its beginning
 * and a hash of all of it, so that the same one is always the same, and two that begin alike stay
 * two.
 */
export const boundedId = (id: string, most: number = ID_CHARS): string =>
  id.length <= most
    ? id
    : `${cutText(id, most - HASH_CHARS - 1)}~${createHash('sha256').update(id).digest('base64url').slice(0, HASH_CHARS)}`;
