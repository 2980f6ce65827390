import * as v from 'valibot';

const person = v.object({ name: v.string(), address: v.string() });

/** A post with its replies. `url`: as that of a mail. */
export const postPreviewOut = v.object({
  url: v.string(),
  subject: v.string(),
  author: v.string(),
  sentAt: v.nullable(v.number()),
  replies: v.number(),
  /** Pictures of other servers, which are not loaded. */
  heldPictures: v.number(),
});

/**
 * A file as a person sees it. `url`: as that of a mail. `shows`: the picture or the text that it is,
 * or the text of a document, without its layout.
 */
export const filePreviewOut = v.object({
  url: v.string(),
  shows: v.picklist(['picture', 'text', 'document']),
  bytes: v.number(),
  /** Only the beginning of the text is shown. */
  isShortened: v.boolean(),
});

/**
 * Which attachment of a mail: its place in the list of attachments, and for one of an attached mail
 * the places of those mails before it.
 */
export const attachmentPath = v.pipe(
  v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(999))),
  v.minLength(1),
  v.maxLength(8),
);

/**
 * A mail as a person reads it, or one of its attachments. `file`: the attachment is no mail. `url`:
 * the document of its body, for `<iframe sandbox="">`. It opens once, within a minute, in the browser
 * that sent the request. `?theme=light` or `?theme=dark` chooses its colors; without it, the system
 * does.
 */
export const previewOut = v.object({
  url: v.string(),
  subject: v.string(),
  from: v.nullable(person),
  to: v.array(person),
  cc: v.array(person),
  sentAt: v.nullable(v.number()),
  attachments: v.array(v.object({ name: v.string(), bytes: v.number(), type: v.string() })),
  /** Pictures of other servers, which are not loaded. */
  heldPictures: v.number(),
  file: v.optional(v.omit(filePreviewOut, ['url'])),
});
