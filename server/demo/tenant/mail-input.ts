import * as v from 'valibot';
import { GraphError, badRequest } from './graph-error.ts';
import { conversationId, digest } from './ids.ts';
import type { Correspondent } from './mail-content.ts';
import type { MessageProps, NewAttachment } from './mailbox-store.ts';
import { parseMessage } from './mime-reader.ts';
import type { Tenant } from './store.ts';

const recipient = v.object({
  emailAddress: v.object({
    name: v.optional(v.nullable(v.string())),
    address: v.optional(v.nullable(v.string())),
  }),
});
const recipients = v.array(recipient);
const pair = v.object({ id: v.string(), value: v.string() });

const attachment = v.object({
  '@odata.type': v.literal('#microsoft.graph.fileAttachment'),
  'name': v.string(),
  'contentType': v.optional(v.nullable(v.string())),
  'contentBytes': v.pipe(v.string(), v.base64()),
  'isInline': v.optional(v.boolean()),
  'contentId': v.optional(v.nullable(v.string())),
});

/** The properties that a client may set; the service sets or ignores the rest of a message. */
const message = v.partial(
  v.object({
    subject: v.string(),
    body: v.object({
      contentType: v.picklist(['text', 'html', 'Text', 'HTML']),
      content: v.string(),
    }),
    importance: v.pipe(v.string(), v.toLowerCase(), v.picklist(['low', 'normal', 'high'])),
    categories: v.array(v.string()),
    flag: v.record(v.string(), v.unknown()),
    from: v.nullable(recipient),
    sender: v.nullable(recipient),
    toRecipients: recipients,
    ccRecipients: recipients,
    bccRecipients: recipients,
    replyTo: recipients,
    isRead: v.boolean(),
    isReadReceiptRequested: v.nullable(v.boolean()),
    isDeliveryReceiptRequested: v.nullable(v.boolean()),
    internetMessageId: v.string(),
    internetMessageHeaders: v.array(v.object({ name: v.string(), value: v.string() })),
    inferenceClassification: v.picklist(['focused', 'other']),
    singleValueExtendedProperties: v.array(pair),
    attachments: v.array(attachment),
  }),
);

/** What a client may send although the service decides it. */
const IGNORED: ReadonlySet<string> = new Set([
  'id',
  'createdDateTime',
  'lastModifiedDateTime',
  'changeKey',
  'receivedDateTime',
  'sentDateTime',
  'hasAttachments',
  'bodyPreview',
  'parentFolderId',
  'conversationId',
  'conversationIndex',
  'isDraft',
  'webLink',
  'uniqueBody',
  'multiValueExtendedProperties',
]);

/** Only drafts can change these. */
const DRAFT_ONLY = [
  'subject',
  'body',
  'from',
  'sender',
  'toRecipients',
  'ccRecipients',
  'bccRecipients',
  'replyTo',
  'internetMessageId',
  'isReadReceiptRequested',
  'isDeliveryReceiptRequested',
] as const;

export interface MessageInput {
  readonly props: Partial<MessageProps>;
  readonly isRead: boolean | undefined;
  readonly receivedAt: number | null;
  readonly attachments: readonly NewAttachment[];
}

/** @throws GraphError 400 */
export function readMessage(json: Readonly<Record<string, unknown>>): MessageInput {
  const known = message.entries;
  for (const name of Object.keys(json))
    if (!(name in known) && !IGNORED.has(name) && !name.includes('@'))
      throw new GraphError(
        400,
        'RequestBodyRead',
        `The property '${name}' does not exist on type 'microsoft.graph.message'.`,
      );
  const parsed = v.safeParse(message, json);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new GraphError(400, 'RequestBodyRead', `${v.getDotPath(issue) ?? ''}: ${issue.message}`);
  }
  const input = parsed.output;
  const extended = (input.singleValueExtendedProperties ?? []).map(({ id, value }) => ({
    id: extendedName(id),
    value,
  }));
  const flags = getValue(extended, 'Integer 0xE07');
  const receivedAt = getTime(extended, 'SystemTime 0xE06');
  const sentAt = getTime(extended, 'SystemTime 0x39');
  const props = {
    subject: input.subject,
    body: input.body && {
      contentType: input.body.contentType.toLowerCase() === 'html' ? 'html' : 'text',
      content: input.body.content,
    },
    importance: input.importance,
    categories: input.categories,
    flag: input.flag,
    from: input.from === undefined ? undefined : correspondent(input.from),
    sender: input.sender === undefined ? undefined : correspondent(input.sender),
    to: input.toRecipients?.map(correspondent),
    cc: input.ccRecipients?.map(correspondent),
    bcc: input.bccRecipients?.map(correspondent),
    replyTo: input.replyTo?.map(correspondent),
    isReadReceiptRequested: input.isReadReceiptRequested ?? undefined,
    isDeliveryReceiptRequested: input.isDeliveryReceiptRequested ?? undefined,
    internetMessageId: input.internetMessageId,
    headers: input.internetMessageHeaders,
    focused: input.inferenceClassification && input.inferenceClassification === 'focused',
    isDraft: flags === null ? undefined : (Number(flags) & 8) === 8,
    sentAt: sentAt ?? undefined,
    extended: input.singleValueExtendedProperties && extended,
  };
  return {
    props: withoutUndefined(props),
    isRead: input.isRead ?? (flags === null ? undefined : (Number(flags) & 1) === 1),
    receivedAt,
    attachments: (input.attachments ?? []).map(readAttachmentInput),
  };
}

const withoutUndefined = (props: Readonly<Record<string, unknown>>): Partial<MessageProps> =>
  Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));

const correspondent = (from: v.InferOutput<typeof recipient> | null): Correspondent => ({
  name: from?.emailAddress.name ?? '',
  address: from?.emailAddress.address ?? '',
});

const readAttachmentInput = (input: v.InferOutput<typeof attachment>): NewAttachment => ({
  name: input.name,
  type: input.contentType ?? 'application/octet-stream',
  isInline: input.isInline ?? false,
  contentId: input.contentId ?? null,
  content: new Uint8Array(Buffer.from(input.contentBytes, 'base64')),
});

/** @throws GraphError 400 */
export function parseAttachment(json: Readonly<Record<string, unknown>>): NewAttachment {
  const parsed = v.safeParse(attachment, json);
  if (!parsed.success) throw badRequest(parsed.issues[0].message);
  return readAttachmentInput(parsed.output);
}

/** `Integer 0x0e07` and `Integer 0xE07` are one property. */
export const extendedName = (id: string): string =>
  id.replace(
    /^(\w+) 0x0*([0-9a-f]+)$/i,
    (_, type: string, hex: string) => `${type} 0x${hex.toUpperCase()}`,
  );

const getValue = (list: readonly { id: string; value: string }[], id: string): string | null =>
  list.find((property) => property.id === id)?.value ?? null;

function getTime(list: readonly { id: string; value: string }[], id: string): number | null {
  const at = Date.parse(getValue(list, id) ?? '');
  return Number.isNaN(at) ? null : Math.floor(at / 1000) * 1000;
}

/** @throws GraphError 400 if a property of a sent or received message can't change */
export function checkDraftOnly(json: Readonly<Record<string, unknown>>, isDraft: boolean): void {
  const name = DRAFT_ONLY.find((property) => property in json);
  if (!isDraft && name !== undefined)
    throw new GraphError(
      400,
      'ErrorInvalidPropertySet',
      `Property '${name}' can only be set on drafts.`,
    );
}

/** Returns the properties of a message that its creator didn't set. */
export function completeProps(tenant: Tenant, input: Partial<MessageProps>): MessageProps {
  const key = digest(tenant.seed, 'created', tenant.store.nextSeq()).toString('hex').slice(0, 24);
  const thread = (input.subject ?? '').replace(/^((re|fw|aw|wg):\s*)+/i, '');
  return {
    subject: '',
    body: { contentType: 'text', content: '' },
    from: null,
    sender: input.from ?? null,
    to: [],
    cc: [],
    bcc: [],
    replyTo: [],
    conversationId: conversationId(tenant, `subject ${thread}`),
    internetMessageId: `<${key}@${tenant.domain}>`,
    inReplyTo: null,
    importance: 'normal',
    categories: [],
    flag: { flagStatus: 'notFlagged' },
    isDraft: true,
    sentAt: Math.floor(tenant.now() / 1000) * 1000,
    focused: true,
    isReadReceiptRequested: false,
    isDeliveryReceiptRequested: false,
    headers: [],
    extended: [],
    ...input,
  };
}

/** Reads a message that was posted as MIME in base64: it is a draft. */
export function readMimeMessage(text: string): {
  readonly props: Partial<MessageProps>;
  readonly attachments: readonly NewAttachment[];
  readonly mime: Uint8Array;
} {
  const base64 = text.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0)
    throw new GraphError(
      400,
      'ErrorMimeContentInvalidBase64String',
      'Invalid base64 string for MIME content.',
    );
  const mime = new Uint8Array(Buffer.from(base64, 'base64'));
  const mail = parseMessage(mime);
  return {
    mime,
    attachments: mail.attachments,
    props: withoutUndefined({
      subject: mail.subject,
      body:
        mail.html === null
          ? { contentType: 'text', content: mail.text }
          : { contentType: 'html', content: mail.html },
      from: mail.from ?? undefined,
      sender: mail.from ?? undefined,
      to: mail.to,
      cc: mail.cc,
      bcc: mail.bcc,
      replyTo: mail.replyTo,
      internetMessageId: mail.messageId ?? undefined,
      inReplyTo: mail.inReplyTo ?? undefined,
      sentAt: mail.date ?? undefined,
      isDraft: true,
    }),
  };
}
