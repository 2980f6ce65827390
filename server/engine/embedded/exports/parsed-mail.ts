import type { MailEntry } from '../downloads/entries.ts';
import type { MailContent } from '../mail/mail-content.ts';
import type { ItemContent } from './part-writer.ts';

/** Reads a mail. One that can't be parsed is a mail with the original as a file (G67). */
export const readParsedMail = async (
  { subject }: MailEntry,
  content: ItemContent,
): Promise<MailContent> =>
  (await content.parse()) ?? wrapOriginal(subject, 'message.eml', await content.collect());

/** A mail with the original of what can't be parsed as a file. */
export const wrapOriginal = (subject: string, name: string, bytes: Uint8Array): MailContent => ({
  subject,
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
  attachments: [
    {
      kind: 'file',
      name,
      mediaType: name.endsWith('.eml') ? 'message/rfc822' : 'application/json',
      contentId: null,
      isInline: false,
      bytes,
    },
  ],
});
