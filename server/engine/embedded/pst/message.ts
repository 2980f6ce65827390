import type { MailAttachment, MailContent } from '../mail/mail-content.ts';
import { makeSubnodes } from './data.ts';
import type { NodeContent, PstFile } from './file.ts';
import { LAYOUTS } from './layouts.ts';
import {
  getAttachmentProperties,
  getAttachmentSize,
  getMailProperties,
  getRecipientProperties,
} from './mail-properties.ts';
import { addProperties } from './property-context.ts';
import { binary, type Property, TYPES } from './properties.ts';
import { makeTable } from './table-context.ts';

const RECIPIENTS_NID = 0x692;
const ATTACHMENTS_NID = 0x671;
const ATTACHMENT_TYPE = 0x05;
const MESSAGE_TYPE = 0x04;
/** Above the ids of values that are too long for a heap. */
const FIRST_ATTACHMENT = 0x8000;
const EMBEDDED_NID = (0x1_0000 << 5) | MESSAGE_TYPE;

/** Writes a mail with its recipients and attachments ([MS-PST] 2.4.5). */
export function addMessage(
  file: PstFile,
  mail: MailContent,
  properties: readonly Property[],
): NodeContent {
  const subnodes = makeSubnodes(file);
  const data = addProperties(file, subnodes, properties);
  const recipients = makeTable(file, LAYOUTS.recipients);
  mail.recipients.forEach((recipient, n) =>
    recipients.addRow(n, getRecipientProperties(recipient)),
  );
  subnodes.add(RECIPIENTS_NID, recipients.finish());
  if (mail.attachments.length > 0) {
    const attachments = makeTable(file, LAYOUTS.attachments);
    mail.attachments.forEach((attachment, n) => {
      const nid = ((FIRST_ATTACHMENT + n) << 5) | ATTACHMENT_TYPE;
      const about = getAttachmentProperties(attachment, n);
      attachments.addRow(nid, about);
      subnodes.add(nid, addAttachment(file, attachment, about));
    });
    subnodes.add(ATTACHMENTS_NID, attachments.finish());
  }
  return { data, subnodes: subnodes.finish() };
}

function addAttachment(
  file: PstFile,
  attachment: MailAttachment,
  about: readonly Property[],
): NodeContent {
  const subnodes = makeSubnodes(file);
  const data = addProperties(file, subnodes, [
    ...about,
    attachment.kind === 'file'
      ? binary(0x3701, attachment.bytes)
      : embeddedIn(getAttachmentSize(attachment)),
  ]);
  if (attachment.kind === 'message') {
    const { message } = attachment;
    subnodes.add(EMBEDDED_NID, addMessage(file, message, getMailProperties(message, null)));
  }
  return { data, subnodes: subnodes.finish() };
}

/** [MS-PST] 2.4.6.2.2.1: which node below the attachment has its message. */
function embeddedIn(size: number): Property {
  const value = Buffer.alloc(8);
  value.writeUInt32LE(EMBEDDED_NID, 0);
  value.writeUInt32LE(size, 4);
  return { id: 0x3701, type: TYPES.object, value };
}
