/**
 * Reading backed-up content: mails, Outlook items and posts, for previews and comparisons. Pure, so
 * threads may load it.
 */

export { ContentError } from '../shared/content-error.ts';
export { MESSAGE_TYPE, nameAttachedMail } from '../embedded/mail/attached-mail.ts';
export { htmlToText } from '../embedded/formats/html-text.ts';
export { readTime } from '../embedded/formats/icalendar.ts';
export { findIanaZone } from '../embedded/formats/time-zone.ts';
export type {
  Address,
  EmailAddress,
  OutlookContact,
  OutlookEvent,
  OutlookTask,
  Recurrence,
  ZonedTime,
} from '../embedded/sources/outlook/entities.ts';
export { parseOutlookItem } from '../embedded/sources/outlook/parse-item.ts';
export { getAuthor, isDeleted, ThreadSchema } from '../embedded/sources/team-posts.ts';
export { getPlainText } from '../embedded/sources/team-thread.ts';
