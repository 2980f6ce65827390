import type { MailAttachment, MailContent, MailState } from '../mail/mail-content.ts';
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

/** Whatever a folder holds, as its properties. */
export interface PstMessage {
  readonly kind: 'mail' | 'event' | 'contact' | 'task';
  readonly properties: readonly Property[];
  readonly recipients: readonly (readonly Property[])[];
  readonly attachments: readonly MessageAttachment[];
}
export interface MessageAttachment {
  readonly about: readonly Property[];
  readonly content:
    | { readonly kind: 'file'; readonly bytes: Uint8Array }
    | { readonly kind: 'message'; readonly message: PstMessage; readonly size: number };
}

/** `state` null: it is attached to another. */
export const getMailMessage = (mail: MailContent, state: MailState | null): PstMessage => ({
  kind: 'mail',
  properties: getMailProperties(mail, state),
  recipients: mail.recipients.map(getRecipientProperties),
  attachments: mail.attachments.map(getMailAttachment),
});

export function getMailAttachment(file: MailAttachment, n: number): MessageAttachment {
  const about = getAttachmentProperties(file, n);
  if (file.kind === 'file') return { about, content: { kind: 'file', bytes: file.bytes } };
  const message = getMailMessage(file.message, null);
  return { about, content: { kind: 'message', message, size: getAttachmentSize(file) } };
}

/** Writes a message with its recipients and attachments ([MS-PST] 2.4.5). */
export function addMessage(
  file: PstFile,
  { properties, recipients, attachments }: PstMessage,
): NodeContent {
  const subnodes = makeSubnodes(file);
  const data = addProperties(file, subnodes, properties);
  const people = makeTable(file, LAYOUTS.recipients);
  recipients.forEach((recipient, n) => people.addRow(n, recipient));
  subnodes.add(RECIPIENTS_NID, people.finish());
  if (attachments.length > 0) {
    const files = makeTable(file, LAYOUTS.attachments);
    attachments.forEach((attachment, n) => {
      const nid = ((FIRST_ATTACHMENT + n) << 5) | ATTACHMENT_TYPE;
      files.addRow(nid, attachment.about);
      subnodes.add(nid, addAttachment(file, attachment));
    });
    subnodes.add(ATTACHMENTS_NID, files.finish());
  }
  return { data, subnodes: subnodes.finish() };
}

function addAttachment(file: PstFile, { about, content }: MessageAttachment): NodeContent {
  const subnodes = makeSubnodes(file);
  const data = addProperties(file, subnodes, [
    ...about,
    content.kind === 'file' ? binary(0x3701, content.bytes) : embeddedIn(content.size),
  ]);
  if (content.kind === 'message') subnodes.add(EMBEDDED_NID, addMessage(file, content.message));
  return { data, subnodes: subnodes.finish() };
}

/** [MS-PST] 2.4.6.2.2.1: which node below the attachment has its message. */
function embeddedIn(size: number): Property {
  const value = Buffer.alloc(8);
  value.writeUInt32LE(EMBEDDED_NID, 0);
  value.writeUInt32LE(size, 4);
  return { id: 0x3701, type: TYPES.object, value };
}
