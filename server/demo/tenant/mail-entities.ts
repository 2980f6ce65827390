import { changeKey, isoTime } from './ids.ts';
import { type Correspondent, getPreview } from './mail-content.ts';
import { extendedName } from './mail-input.ts';
import {
  type AttachmentRow,
  type FolderRow,
  type MessageRow,
  listAttachments,
  readAttachment,
  readProps,
} from './mailbox-store.ts';
import type { GraphEntity } from './odata.ts';
import type { Tenant } from './store.ts';

export function folderEntity({ store }: Tenant, folder: FolderRow): GraphEntity {
  const counts = store.get<{ total: number; unread: number }>(
    'select count(*) as total, count(*) filter (where read = 0) as unread from message where folder_id = ?',
    folder.id,
  );
  const children = store.get<{ total: number }>(
    'select count(*) as total from folder where parent_id = ? and hidden = 0',
    folder.id,
  );
  return {
    id: folder.id,
    displayName: folder.name,
    parentFolderId: folder.parent_id,
    childFolderCount: children?.total ?? 0,
    unreadItemCount: counts?.unread ?? 0,
    totalItemCount: counts?.total ?? 0,
    isHidden: folder.hidden === 1,
  };
}

const recipient = (person: Correspondent): GraphEntity => ({
  emailAddress: {
    name: person.name === '' ? person.address : person.name,
    address: person.address,
  },
});

/** What is returned of a message only if it is selected. */
const ON_REQUEST: ReadonlySet<string> = new Set(['internetMessageHeaders', 'uniqueBody']);

export interface MessageView {
  readonly hasStableIds: boolean;
  readonly asText: boolean;
}

/** How a request wants messages: `Prefer: IdType="ImmutableId", outlook.body-content-type="text"`. */
export function readView(request: Request): MessageView {
  const prefer = request.headers.get('prefer') ?? '';
  return {
    hasStableIds: /idtype\s*=\s*"?ImmutableId/i.test(prefer),
    asText: /outlook\.body-content-type\s*=\s*"?text/i.test(prefer),
  };
}

export function messageEntity(tenant: Tenant, row: MessageRow, view: MessageView): GraphEntity {
  const props = readProps(row);
  const key = changeKey(tenant, row.n, row.seq);
  const id = view.hasStableIds ? row.stable_id : row.id;
  const body =
    view.asText && props.body.contentType === 'html'
      ? { contentType: 'text', content: getPreview(props.body.content, true) }
      : props.body;
  const attached = tenant.store.get(
    'select 1 from attachment where message_n = ? and inline = 0 limit 1',
    row.n,
  );
  return {
    '@odata.etag': `W/"${key}"`,
    id,
    'createdDateTime': isoTime(row.created_at),
    'lastModifiedDateTime': isoTime(row.changed_at),
    'changeKey': key,
    'categories': props.categories,
    'receivedDateTime': isoTime(row.received_at),
    'sentDateTime': isoTime(props.sentAt),
    'hasAttachments': attached !== undefined,
    'internetMessageId': props.internetMessageId,
    'subject': props.subject,
    'bodyPreview': getPreview(props.body.content, props.body.contentType === 'html'),
    'importance': props.importance,
    'parentFolderId': row.folder_id,
    'conversationId': props.conversationId,
    'conversationIndex': Buffer.from(props.conversationId).subarray(0, 22).toString('base64'),
    'isDeliveryReceiptRequested': props.isDeliveryReceiptRequested,
    'isReadReceiptRequested': props.isReadReceiptRequested,
    'isRead': row.read === 1,
    'isDraft': props.isDraft,
    'webLink': `https://outlook.office365.com/owa/?ItemID=${encodeURIComponent(id)}&exvsurl=1&viewmodel=ReadMessageItem`,
    'inferenceClassification': props.focused ? 'focused' : 'other',
    body,
    'sender': props.sender ? recipient(props.sender) : null,
    'from': props.from ? recipient(props.from) : null,
    'toRecipients': props.to.map(recipient),
    'ccRecipients': props.cc.map(recipient),
    'bccRecipients': props.bcc.map(recipient),
    'replyTo': props.replyTo.map(recipient),
    'flag': props.flag,
    'internetMessageHeaders': props.headers,
    'uniqueBody': body,
  };
}

/** The names of a message's properties that are returned without `$select`. */
export const isMessageDefault = (name: string): boolean => !ON_REQUEST.has(name);

export function attachmentEntity(row: AttachmentRow, hasBytes: boolean): GraphEntity {
  return {
    '@odata.type': '#microsoft.graph.fileAttachment',
    '@odata.mediaContentType': row.type,
    'id': row.id,
    'lastModifiedDateTime': isoTime(row.changed_at),
    'name': row.name,
    'contentType': row.type,
    'size': row.size,
    'isInline': row.inline === 1,
    'contentId': row.content_id,
    'contentLocation': null,
    ...(hasBytes ? { contentBytes: Buffer.from(readAttachment(row)).toString('base64') } : {}),
  };
}

/** Returns the expansions that a request wants: attachments, extended properties by id. */
export function expandMessage(tenant: Tenant, row: MessageRow, expand: string): GraphEntity {
  const result: Record<string, unknown> = {};
  if (/\battachments\b/i.test(expand))
    result['attachments'] = listAttachments(tenant, row.n).map((attachment) =>
      attachmentEntity(attachment, true),
    );
  if (/singleValueExtendedProperties/i.test(expand)) {
    const wanted = [...expand.matchAll(/id eq '([^']+)'/g)].map((match) => match[1] ?? '');
    const stored = [...computedProperties(row), ...readProps(row).extended];
    const found = wanted.flatMap((id) => {
      const property = stored.find((known) => known.id === extendedName(id));
      return property ? [{ id, value: property.value }] : [];
    });
    if (found.length > 0) result['singleValueExtendedProperties'] = found;
  }
  return result;
}

/** Flags, times and size as MAPI names them. */
function computedProperties(row: MessageRow): { id: string; value: string }[] {
  const { isDraft, sentAt } = readProps(row);
  return [
    { id: 'Integer 0xE07', value: String((row.read === 1 ? 1 : 0) + (isDraft ? 8 : 0)) },
    { id: 'SystemTime 0xE06', value: isoTime(row.received_at) },
    { id: 'SystemTime 0x39', value: isoTime(sentAt) },
    { id: 'Integer 0xE08', value: String(row.size) },
  ];
}
