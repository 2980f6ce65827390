import type { Ms } from '#contract/ids.ts';
import type {
  MailAttachment,
  MailContent,
  MailPerson,
  MailRecipient,
  MailState,
} from '../mail/mail-content.ts';
import { NAMED } from './named-properties.ts';
import {
  binary,
  boolean,
  int32,
  type Property,
  strings,
  stringProperty,
  time,
} from './properties.ts';

const FLAG_READ = 0x01;
const FLAG_UNSENT = 0x08;
const FLAG_ATTACHMENTS = 0x10;
export const IMPORTANCE = { low: 0, normal: 1, high: 2 } as const;
/** [MS-PST] 2.5.3.1.1.1: that a subject has no prefix such as `RE: `. */
export const NO_PREFIX = '\u0001\u0001';
export const UTF8_CODE_PAGE = 65_001;
const FOLLOW_UP = 2;
/** That somebody answered, and the picture that shows it ([MS-OXOMSG]). */
const REPLY_TO_SENDER = 102;
const REPLIED_ICON = 0x105;

/** Properties of a mail ([MS-OXPROPS]), in the index of its folder too. `state` null: attached. */
export function getMailProperties(mail: MailContent, state: MailState | null): Property[] {
  const { from, sentAt, text: body, html, attachments } = mail;
  const sender = mail.sender ?? from;
  const receivedAt = state?.receivedAt ?? sentAt;
  const importance = state?.importance ?? mail.importance;
  return [
    stringProperty(0x001a, 'IPM.Note'),
    int32(0x0017, IMPORTANCE[importance]),
    int32(0x0036, 0),
    stringProperty(0x0037, mail.subject === '' ? '' : NO_PREFIX + mail.subject),
    stringProperty(0x0070, mail.subject),
    int32(0x0e07, getFlags(mail, state)),
    int32(0x0e08, getMailSize(mail)),
    int32(0x0e17, 0),
    stringProperty(0x0e02, getNames(mail.recipients, 'bcc')),
    stringProperty(0x0e03, getNames(mail.recipients, 'cc')),
    stringProperty(0x0e04, getNames(mail.recipients, 'to')),
    boolean(0x0e1b, attachments.length > 0),
    ...(sentAt === null ? [] : [time(0x0039, sentAt)]),
    ...(receivedAt === null ? [] : getTimes(receivedAt)),
    ...(from === null ? [] : getPersonProperties(from, [0x0042, 0x0064, 0x0065])),
    ...(sender === null ? [] : getPersonProperties(sender, [0x0c1a, 0x0c1e, 0x0c1f])),
    ...optionalText(0x007d, mail.headers),
    ...optionalText(0x1000, body),
    ...(html === null ? [] : [binary(0x1013, Buffer.from(html)), int32(0x3fde, UTF8_CODE_PAGE)]),
    ...optionalText(0x1035, mail.messageId),
    ...optionalText(0x1042, mail.inReplyTo),
    ...optionalText(0x1039, mail.references),
    ...(state?.isFlagged === true ? [int32(0x1090, FOLLOW_UP)] : []),
    ...(state?.isAnswered === true
      ? [int32(0x1080, REPLIED_ICON), int32(0x1081, REPLY_TO_SENDER)]
      : []),
    ...(state === null || state.categories.length === 0
      ? []
      : [strings(NAMED.categories, state.categories)]),
  ];
}

const getTimes = (receivedAt: Ms): Property[] => [
  time(0x0e06, receivedAt),
  time(0x3007, receivedAt),
  time(0x3008, receivedAt),
];

export const optionalText = (id: number, content: string | null): Property[] =>
  content === null || content === '' ? [] : [stringProperty(id, content)];

function getFlags({ attachments }: MailContent, state: MailState | null): number {
  const isRead = state?.isRead ?? true;
  return (
    (isRead ? FLAG_READ : 0) |
    (state?.isDraft === true ? FLAG_UNSENT : 0) |
    (attachments.length > 0 ? FLAG_ATTACHMENTS : 0)
  );
}

/** Programs show it as the size of the mail: its contents without their frame. */
const getMailSize = ({ headers, text: body, html, attachments }: MailContent): number =>
  Math.min(
    0x7fff_ffff,
    attachments.reduce(
      (sum, file) => sum + getAttachmentSize(file),
      2 * headers.length + 2 * (body ?? '').length + (html ?? '').length,
    ),
  );

export const getAttachmentSize = (file: MailAttachment): number =>
  Math.min(0x7fff_ffff, file.kind === 'file' ? file.bytes.length : getMailSize(file.message));

const getNames = (recipients: readonly MailRecipient[], kind: MailRecipient['kind']): string =>
  recipients
    .filter((recipient) => recipient.kind === kind)
    .map(getShownName)
    .join('; ');

const getShownName = ({ name, address }: MailPerson): string => (name === '' ? address : name);

export function getPersonProperties(
  person: MailPerson,
  [name, kind, address]: readonly [number, number, number],
): Property[] {
  return [
    stringProperty(name, getShownName(person)),
    stringProperty(kind, 'SMTP'),
    ...optionalText(address, person.address),
  ];
}

const RECIPIENT_KINDS = { to: 1, cc: 2, bcc: 3 } as const;
const MAIL_USER = 6;

/** A row of the recipients ([MS-PST] 2.4.5.3). */
export const getRecipientProperties = (recipient: MailRecipient): Property[] => [
  int32(0x0c15, RECIPIENT_KINDS[recipient.kind]),
  boolean(0x0e0f, true),
  int32(0x0ffe, MAIL_USER),
  binary(0x0fff, getOneOffId(recipient)),
  stringProperty(0x3001, getShownName(recipient)),
  stringProperty(0x3002, 'SMTP'),
  ...optionalText(0x3003, recipient.address),
  binary(0x300b, Buffer.from(`SMTP:${recipient.address.toUpperCase()}\0`)),
  int32(0x3900, 0),
  ...optionalText(0x39fe, recipient.address),
  stringProperty(0x39ff, getShownName(recipient)),
  boolean(0x3a40, false),
];

/** The id of somebody who is in no address book, [MS-OXCDATA] 2.2.5.1. */
const getOneOffId = (person: MailPerson): Buffer =>
  Buffer.concat([
    ONE_OFF,
    Buffer.from(`${getShownName(person)}\0SMTP\0${person.address}\0`, 'utf16le'),
  ]);
const ONE_OFF = Buffer.from('00000000812b1fa4bea310199d6e00dd010f540200000190', 'hex');

const BY_VALUE = 1;
const EMBEDDED = 5;
const IN_HTML = 4;
const NOT_IN_TEXT = -1;

/** An attachment without its content. */
export const getAttachmentProperties = (file: MailAttachment, n: number): Property[] =>
  describeAttachment({ ...file, size: getAttachmentSize(file) }, n);

export function describeAttachment(
  {
    kind,
    name,
    mediaType,
    contentId,
    isInline,
    size,
  }: Pick<MailAttachment, 'kind' | 'name' | 'mediaType' | 'contentId' | 'isInline'> & {
    readonly size: number;
  },
  n: number,
): Property[] {
  const dot = name.lastIndexOf('.');
  return [
    int32(0x0e20, size),
    int32(0x0e21, n),
    stringProperty(0x3001, name),
    ...(dot > 0 ? [stringProperty(0x3703, name.slice(dot))] : []),
    stringProperty(0x3704, name),
    int32(0x3705, kind === 'file' ? BY_VALUE : EMBEDDED),
    stringProperty(0x3707, name),
    int32(0x370b, NOT_IN_TEXT),
    ...optionalText(0x370e, mediaType),
    ...optionalText(0x3712, contentId),
    int32(0x3714, isInline ? IN_HTML : 0),
    boolean(0x7ffe, isInline),
  ];
}
