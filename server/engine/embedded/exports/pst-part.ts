import { createHash } from 'node:crypto';
import type { DownloadEntry } from '../downloads/entries.ts';
import type { MailContent } from '../mail/mail-content.ts';
import { makePstWriter } from '../pst/pst-writer.ts';
import type { Placed } from '../pst/space.ts';
import type { PartFile, PartWriter } from './part-writer.ts';

interface PstPart {
  readonly name: string;
  /** Programs tell files apart by it: the same download and part give the same. */
  readonly id: string;
}

/** A PST file. A mail that can't be parsed is in it as a file (G67). */
export function makePstPart(file: PartFile, { name, id }: PstPart): PartWriter {
  const uid = createHash('sha256').update(id).digest().subarray(0, 16);
  const writer = makePstWriter({ name, uid });
  const write = async (pieces: readonly Placed[]): Promise<void> => {
    for (const { at, bytes } of pieces) await file.write(bytes, at);
  };
  return {
    async add(entry, content) {
      const { mail } = entry;
      if (mail === undefined) throw new Error('A PST file has mails alone.');
      const read = (await content.parse()) ?? wrap(entry, await content.collect());
      writer.addMail(mail.folder, read, mail.state);
      await write(writer.takeWritten());
    },
    get bytes() {
      return writer.bytes;
    },
    finish: () => write(writer.finish()),
  };
}

const wrap = ({ mail }: DownloadEntry, bytes: Uint8Array): MailContent => ({
  subject: mail?.subject ?? '',
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
