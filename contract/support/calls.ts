import * as v from 'valibot';
import { call } from '../call.ts';
import { renameSupportContext, withFormerNames } from '../former-fields.ts';
import { lastErrorFields } from '../last-error.ts';
import { LIMITS } from '../limits.ts';
import { PAGE, getPage } from '../paging.ts';
import { supportContextMessages } from './messages.en.ts';

/** Context that the page can add to a support request. The user can leave out each part. */
export const SUPPORT_PARTS = ['page', 'errors', 'sync', 'version', 'browser'] as const;
export type SupportPart = (typeof SUPPORT_PARTS)[number];
export type SupportContext = { readonly [P in SupportPart]?: string | undefined };
/** What each part is called. */
export const SUPPORT_WORDS: Readonly<Record<SupportPart, string>> = supportContextMessages;

const oneLine = (max: number) =>
  v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(max), v.regex(/^\P{Cc}*$/u));
const part = v.optional(v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.supportPartChars)));
const context = withFormerNames(
  v.strictObject({
    page: v.optional(
      v.pipe(v.string(), v.maxLength(LIMITS.supportPartChars), v.regex(/^\/[^?#\p{Cc}]*$/u)),
    ),
    errors: part,
    sync: part,
    version: part,
    browser: part,
  }),
  renameSupportContext,
);

/**
 * `waiting`: being sent. `kept`: not sent, because email is not set up. `unknown`: the outcome
 * isn't known. Sent email is deleted after a week, and nobody opened the list before.
 */
const SUPPORT_STATES = ['waiting', 'sent', 'kept', 'failed', 'unknown'] as const;
const supportOut = v.object({
  _id: v.string(),
  at: v.number(),
  subject: v.string(),
  text: v.string(),
  state: v.picklist(SUPPORT_STATES),
  ...lastErrorFields,
});
export type SupportOut = v.InferOutput<typeof supportOut>;

export const supportCalls = {
  sendSupport: call({
    method: 'POST',
    path: 'monitoring/backoffice/support',
    summary:
      "Sends a support request by email to the address in the portal's branding. Answers go to the caller's address. `context`: details about the page, without the query of its address.",
    input: v.strictObject({
      subject: oneLine(LIMITS.subjectChars),
      message: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.descriptionChars)),
      context: v.optional(context),
    }),
    output: supportOut,
    gate: 'signed-in',
    failures: ['bad-input', 'forbidden', 'conflict', 'too-many'],
  }),
  listSupport: call({
    method: 'GET',
    path: 'monitoring/backoffice/support',
    summary:
      "Lists the caller's support requests in pages, newest first, with the state of each email.",
    input: v.strictObject(PAGE),
    output: getPage(supportOut),
    gate: 'signed-in',
    failures: ['bad-input', 'forbidden'],
  }),
} as const;
