import MsgReaderModule, { type FieldsData } from '@kenjiuno/msgreader';
import type { MailFile, MailParts, ShownMailPerson } from './read-mail.ts';

// The package is CommonJS: its class is the default of its default.
const MsgReader = MsgReaderModule.default;
type Reader = InstanceType<typeof MsgReader>;

/** How files of this format begin. */
const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
export const isMsg = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .subarray(0, SIGNATURE.length)
    .equals(SIGNATURE);

/**
 * Reads an MSG file, as Outlook stores mails, events, contacts and tasks.
 *
 * @throws if it is none that the parser understands.
 */
export function readMsg(bytes: Uint8Array<ArrayBuffer>): MailParts {
  const reader = new MsgReader(bytes.slice().buffer);
  const mail = reader.getFileData();
  if (mail.error !== undefined) throw new Error(mail.error);
  return getParts(reader, mail);
}

function getParts(reader: Reader, mail: FieldsData): MailParts {
  const people = (mail.recipients ?? []).filter(({ dataType }) => dataType === 'recipient');
  const getPeople = (type: string): ShownMailPerson[] =>
    people.filter(({ recipType = 'to' }) => recipType === type).map(toPerson);
  const sent = mail.clientSubmitTime ?? mail.messageDeliveryTime ?? mail.apptStartWhole;
  return {
    subject: mail.subject ?? '',
    from: getSender(mail),
    to: getPeople('to'),
    cc: getPeople('cc'),
    sentAt: Date.parse(sent ?? ''),
    html: getHtml(mail),
    text: mail.body,
    files: (mail.attachments ?? []).map((attachment): MailFile => {
      const content = getContent(reader, attachment);
      const inner = attachment.innerMsgContentFields;
      return {
        name: attachment.fileName ?? attachment.name ?? attachment.fileNameShort ?? '',
        type: attachment.attachMimeTag ?? 'application/octet-stream',
        bytes: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
        contentId: attachment.pidContentId,
        isRelated: attachment.attachmentHidden === true || attachment.pidContentId !== undefined,
        ...(inner !== undefined && { mail: () => getParts(reader, inner) }),
      };
    }),
  };
}

const toPerson = ({ name, smtpAddress, email }: FieldsData): ShownMailPerson => ({
  name: name ?? '',
  address: smtpAddress ?? email ?? '',
});

function getSender({
  senderName,
  senderSmtpAddress,
  senderEmail,
}: FieldsData): ShownMailPerson | null {
  const address = senderSmtpAddress ?? senderEmail ?? '';
  return senderName === undefined && address === '' ? null : { name: senderName ?? '', address };
}

/** An embedded mail has no bytes of its own. */
function getContent(reader: Reader, attachment: FieldsData): Uint8Array {
  return attachment.innerMsgContent === true
    ? new Uint8Array()
    : reader.getAttachment(attachment).content;
}

function getHtml({ bodyHtml, html, internetCodepage }: FieldsData): string | undefined {
  if (bodyHtml !== undefined) return bodyHtml;
  return html === undefined ? undefined : getDecoder(internetCodepage).decode(html);
}

/** By the code page of the mail, as Windows numbers them. */
function getDecoder(codePage: number | undefined): TextDecoder {
  const label = CODE_PAGES[codePage ?? 0] ?? `windows-${codePage ?? ''}`;
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
const CODE_PAGES: Readonly<Partial<Record<number, string>>> = {
  20_127: 'us-ascii',
  28_591: 'iso-8859-1',
  28_592: 'iso-8859-2',
  28_605: 'iso-8859-15',
  50_220: 'iso-2022-jp',
  51_932: 'euc-jp',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  65_001: 'utf-8',
};
