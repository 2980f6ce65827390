import type { MailContent, MailState } from '#server/engine/embedded/mail/mail-content.ts';

/** An empty mail, for tests that set what they need. */
export const NO_MAIL: MailContent = {
  subject: '',
  from: null,
  sender: null,
  recipients: [],
  sentAt: null,
  headers: '',
  text: null,
  html: null,
  messageId: null,
  inReplyTo: null,
  references: null,
  importance: 'normal',
  attachments: [],
};

/** A read mail that was received in May 2026. */
export const STATE: MailState = {
  receivedAt: Date.UTC(2026, 4, 6, 7, 8, 9),
  isRead: true,
  isDraft: false,
  isFlagged: false,
  importance: null,
  categories: [],
};
