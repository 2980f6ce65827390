import type { STATUS_OF } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';

type Kind = keyof typeof STATUS_OF;

/** What each kind of failure means to an API client. Only the names of kinds may use backticks. */
export const KIND_SAYS: Readonly<Record<Kind, string>> = {
  'bad-input': 'The input is invalid; the field issues says where.',
  'wrong-credentials': 'The username, password or code is wrong.',
  'signed-out': "There is no session or API key, or it isn't valid here.",
  'expired': 'The session or the API key has expired.',
  'forbidden': 'The user or the API key lacks the ability.',
  'reauth_required': 'Needs a factor verified within the last minutes.',
  'not-by-key': 'Needs a signed-in person; API keys are not accepted.',
  'not-found': "Doesn't exist, or isn't visible to you; the response is the same.",
  'no-such-call': 'No call has this method and path.',
  'conflict': 'Conflicts with the current state.',
  'too-large': `The body is longer than ${LIMITS.bodyBytes} bytes, or than ${LIMITS.publicBodyBytes} for calls without sign-in and ${LIMITS.jobBodyBytes} for backup jobs.`,
  'key-reused': 'The idempotency key was already used for another request.',
  'out-of-order':
    "This number in the device's order was already used; the field expected has the next one.",
  'update-needed': "The client's protocol version is too old.",
  'too-many': 'Too many requests; Retry-After says how many seconds to wait.',
  'busy': 'The server is busy and did nothing. Retry-After says when to try again.',
  'out-of-space':
    'The server has no disk space to store anything; reading still works. Retry-After says when to try again.',
  'server-error': 'The server failed; it is unknown whether the call took effect.',
};

/** The API in brief, for readers of the description without the portal's own page. */
export const DESCRIPTION = [
  "The API of the portal. Every path is below `/api/v1` at the portal's own address.",
  'Send `Authorization: Bearer dbu_…` with an API key. Users create keys under Settings, API keys, each with some of their own abilities. A call with a key has the abilities that both the key and its user have at that moment, and can access the companies of the user.',
  'JSON responses use an envelope: `{"success":true,"data":…}`, or `{"success":false,"message":…,"error":{"kind":…}}` with the status of the kind. Rely on the kind; the message is a sentence for a person.',
  `Limits with a key: ${LIMITS.apiKeyPerMinute} calls a minute for each key, ${LIMITS.apiAddressPerMinute} for each address, ${LIMITS.apiKeyAtOnce} at once for each key. Every response states them in RateLimit-Policy and RateLimit; a 429 response includes Retry-After.`,
  'Lists are paged: `page` starts at 1, `pageSize` is at most 200, and the response includes the total `count`.',
  'Unknown fields are refused. A body may repeat the ID in the path as `id` or `_id`, but a different ID is refused. Times are milliseconds since 1970 in UTC, or ISO 8601 if a field says so.',
  'Fields that were renamed are also accepted under their former names until the next version: `is` for `kind` (of changes and credentials) and for `type` (of schedules), `least` and `most` for `min` and `max`, `says` for the `summary` of hints, `faults` for the `errors` of a support request, and the change `wake` for `unsnooze`. Responses have the current names; beside `impersonator` and `isImpersonated` they also have `acting`, the former name of both, hints have `says`, what has an `error` also has `fault`, ingest keys beside `lastError` also `lastFault`, and SLA alarms and sent reports beside `isMet` and `storedUntil` also `kept`.',
].join('\n\n');
