import type { DownloadEntry } from '../downloads/entries.ts';
import type { MailContent, MailState } from '../mail/mail-content.ts';
import type { ItemContent } from './part-writer.ts';

/** Reads an item as a mail. One that can't be parsed is a mail with the original as a file (G67). */
export async function readParsedMail(
  entry: DownloadEntry,
  content: ItemContent,
): Promise<{
  readonly mail: MailContent;
  readonly state: MailState;
  readonly folder: readonly string[];
}> {
  if (entry.mail === undefined) throw new Error('Only mails have this format.');
  const { subject, state, folder } = entry.mail;
  const mail = (await content.parse()) ?? wrap(subject, await content.collect());
  return { mail, state, folder };
}

const wrap = (subject: string, bytes: Uint8Array): MailContent => ({
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
      name: 'message.eml',
      mediaType: 'message/rfc822',
      contentId: null,
      isInline: false,
      bytes,
    },
  ],
});
