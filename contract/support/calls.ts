import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { PAGE, pageOf } from '../paging.ts';

/**
 * What the page may tell of itself beside the words of the person; each part is left out where the
 * person wants that.
 */
export const SUPPORT_PARTS = ['page', 'faults', 'sync', 'version', 'browser'] as const;
export type SupportPart = (typeof SUPPORT_PARTS)[number];
export type SupportContext = { readonly [P in SupportPart]?: string | undefined };
export const SUPPORT_WORDS: Readonly<Record<SupportPart, string>> = {
  page: 'Page',
  faults: 'Last errors',
  sync: 'Sync',
  version: 'Version',
  browser: 'Browser',
};

const oneLine = (most: number) =>
  v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(most), v.regex(/^\P{Cc}*$/u));
const part = v.optional(v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.supportPartChars)));
const context = v.strictObject({
  page: v.optional(
    v.pipe(v.string(), v.maxLength(LIMITS.supportPartChars), v.regex(/^\/[^?#\p{Cc}]*$/u)),
  ),
  faults: part,
  sync: part,
  version: part,
  browser: part,
});

/**
 * `waiting`: on its way. `kept`: it was not sent, because nothing is set to send mail with.
 * `unknown`: nobody looked within a week.
 */
const SUPPORT_STATES = ['waiting', 'sent', 'kept', 'failed', 'unknown'] as const;
const supportOut = v.object({
  _id: v.string(),
  at: v.number(),
  subject: v.string(),
  text: v.string(),
  state: v.picklist(SUPPORT_STATES),
  fault: v.nullable(v.string()),
});
export type SupportOut = v.InferOutput<typeof supportOut>;

export const supportCalls = {
  sendSupport: call({
    method: 'POST',
    path: 'monitoring/backoffice/support',
    summary:
      'A request to the support of this portal: goes by mail to the address that its branding names, answers go to the address of who asks. `context`: what the page tells of itself, without the words of an address behind its question mark.',
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
      'The own requests to support in pages, the newest first, and what became of each mail.',
    input: v.strictObject(PAGE),
    output: pageOf(supportOut),
    gate: 'signed-in',
    failures: ['bad-input', 'forbidden'],
  }),
} as const;
