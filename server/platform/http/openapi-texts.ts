import type { STATUS_OF } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';

type Kind = keyof typeof STATUS_OF;

/** What each kind of failure means to a program. */
export const KIND_SAYS: Readonly<Record<Kind, string>> = {
  'bad-input': 'What was sent does not fit; issues says where.',
  'wrong-credentials': 'Name, password or code are wrong.',
  'signed-out': 'No session and no API key, or one that is not good here.',
  'expired': 'The session or the API key ran out.',
  'forbidden': 'The user, or the API key, lacks the ability.',
  'reauth_required': 'Needs a factor shown within the last minutes.',
  'not-by-key': 'Needs a person who is signed in: an API key does not do.',
  'not-found': 'Not there, or not for you: the two are not told apart.',
  'no-such-call': 'No call has this method and address.',
  'conflict': 'Does not fit what stands by now.',
  'too-large': `The body is longer than ${LIMITS.bodyBytes} bytes, or than ${LIMITS.publicBodyBytes} where nobody has to be signed in.`,
  'key-reused': 'The idempotency key was used for something else.',
  'out-of-order': "The number in the device's order was used; expected is the next.",
  'update-needed': 'The protocol is too old.',
  'too-many': 'Too fast; Retry-After says how many seconds to wait.',
  'busy': 'Too much at once; nothing was done. Retry-After says when to come again.',
  'out-of-space':
    'The server has no disk space to store anything; reading still works. Retry-After says when to come again.',
  'server-fault': 'A fault of the server; it is not known whether it was done.',
};

/** The house in short, for whoever reads the description without the portal's own page. */
export const DESCRIPTION = [
  "The API of the portal. Every path is below `/api/v1`, at the portal's own address.",
  'Send `Authorization: Bearer dbu_…` with an API key. Users make keys under Settings, API keys, each with some of their own abilities. A call by key has the abilities that both the key and its user have at that moment, and sees the companies of the user.',
  'JSON answers stand in an envelope: `{"success":true,"data":…}`, or `{"success":false,"message":…,"error":{"kind":…}}` with the status of the kind. Go by the kind; the message is a sentence for a person.',
  `With a key: ${LIMITS.apiKeyPerMinute} calls a minute for each key, ${LIMITS.apiAddressPerMinute} for each address, ${LIMITS.apiKeyAtOnce} at once for each key. Every answer tells them in RateLimit-Policy and RateLimit; 429 comes with Retry-After.`,
  'Lists come in pages: `page` from 1, `pageSize` up to 200, and `count` of all in the answer.',
  'Unknown fields are refused. A body may repeat the id in the address as `id` or `_id`; a different one is refused. Times are milliseconds since 1970 in UTC, or ISO 8601 where a field says so.',
].join('\n\n');
