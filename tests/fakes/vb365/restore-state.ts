import type { Ms } from '#contract/ids.ts';
import type { MailContent, MailState } from '#server/engine/embedded/mail/mail-content.ts';
import { writeMsgFile } from '#server/engine/embedded/msg/msg-file.ts';
import { uid, type Vb365Content, type Vb365Organization } from './state.ts';

// What the backups of a server have, with the names and words of its REST API v8.

export type SessionType = 'Vex' | 'Veod' | 'Vesp' | 'Vet';
export interface Vb365Point {
  readonly id: string;
  readonly organizationId: string;
  readonly jobId: string;
  readonly backupTime: Ms;
  readonly isExchange: boolean;
  readonly isOneDrive: boolean;
  readonly isSharePoint: boolean;
  readonly isTeams: boolean;
}
export interface Vb365Folder {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  /** Of a site. */
  readonly part?: 'library' | 'list';
}
/** An earlier version of a file or a row. */
export interface Vb365ItemVersion {
  readonly version: string;
  readonly versionId: number;
  readonly at: Ms;
  readonly bytes: Buffer;
}
/** `from`: the first point that has it. */
export interface Vb365Item {
  readonly id: string;
  readonly folderId: string | null;
  readonly row: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
  readonly from: Ms;
  /** Before the present one. */
  readonly versions?: readonly Vb365ItemVersion[];
  readonly mail?: { readonly content: MailContent; readonly state: MailState };
}
/** A mailbox (`list` `mailboxes`), a drive, or a site. `parentId`: the site above it. */
export interface Vb365Object {
  readonly id: string;
  readonly organizationId: string;
  readonly list: 'mailboxes' | 'onedrives' | 'sites';
  readonly parentId: string | null;
  readonly name: string;
  readonly address: string;
  readonly folders: Vb365Folder[];
  readonly items: Vb365Item[];
}
/** `to`: null is its original location. */
export interface Vb365Restored {
  readonly object: string;
  readonly title: string;
  readonly to: string | null;
}
export interface Vb365RestoreSession {
  readonly id: string;
  readonly organizationId: string;
  readonly type: SessionType;
  readonly dateTime: Ms;
  readonly creationTime: Ms;
  endTime: Ms | null;
  /** Of a restore: its items, and whether they could be written. */
  readonly results?: readonly { readonly title: string; readonly isRefused: boolean }[];
}

export function addPoint(
  { points, jobs }: Vb365Content,
  organization: Pick<Vb365Organization, 'id'>,
  backupTime: Ms,
  more: Partial<Vb365Point> = {},
): Vb365Point {
  const made: Vb365Point = {
    id: `${uid(`point ${organization.id}`)}_${backupTime}_${'0'.repeat(80)}`,
    organizationId: organization.id,
    jobId: jobs.find((job) => job.organizationId === organization.id)?.id ?? uid('no job'),
    backupTime,
    isExchange: true,
    isOneDrive: true,
    isSharePoint: true,
    isTeams: true,
    ...more,
  };
  points.push(made);
  return made;
}

export function addObject(
  { objects }: Vb365Content,
  organization: Pick<Vb365Organization, 'id'>,
  list: Vb365Object['list'],
  name: string,
  parentId: string | null = null,
): Vb365Object {
  const made: Vb365Object = {
    id: uid(`${list} ${organization.id} ${name}`),
    organizationId: organization.id,
    list,
    parentId,
    name,
    address: `${name.toLowerCase().replaceAll(/\W+/g, '.')}@example.com`,
    folders: [],
    items: [],
  };
  objects.push(made);
  return made;
}

export function addFolder(
  object: Vb365Object,
  name: string,
  parent: Vb365Folder | null = null,
  part?: Vb365Folder['part'],
): Vb365Folder {
  const made: Vb365Folder = {
    // Exchange's ids are long and have characters that addresses escape.
    id: `${Buffer.from(`${object.id}/${parent?.id ?? ''}/${name}`).toString('base64')}==+/`,
    name,
    parentId: parent?.id ?? null,
    ...(part !== undefined && { part }),
  };
  object.folders.push(made);
  return made;
}

const STATE: Omit<MailState, 'receivedAt'> = {
  isRead: true,
  isDraft: false,
  isFlagged: false,
  importance: null,
  categories: [],
};

/** A mail that is received at `at`; `more`: what its file has besides. */
export function addMail(
  mailbox: Vb365Object,
  folder: Vb365Folder,
  subject: string,
  at: Ms,
  more: Partial<MailContent> = {},
): Vb365Item {
  const mail: MailContent = {
    subject,
    from: { name: 'Bea Sender', address: 'bea@example.net' },
    sender: null,
    recipients: [{ kind: 'to', name: mailbox.name, address: mailbox.address }],
    sentAt: at,
    headers: '',
    text: `The text of ${subject}.`,
    html: null,
    messageId: null,
    inReplyTo: null,
    references: null,
    importance: 'normal',
    attachments: [],
    ...more,
  };
  const time = new Date(at).toISOString();
  const made: Vb365Item = {
    id: `${Buffer.from(`${folder.id} ${subject}`).toString('base64')}/+=`,
    folderId: folder.id,
    from: at,
    row: {
      itemClass: 'IPM.Note',
      subject,
      from: 'Bea Sender <bea@example.net>',
      to: `${mailbox.name} <${mailbox.address}>`,
      cc: '',
      bcc: '',
      sent: time,
      received: time,
      reminder: false,
      importance: 'Normal',
      attachments: mail.attachments.map(({ name }) => ({ name, sizeBytes: 1_000 })),
    },
    bytes: Buffer.from(writeMsgFile(mail, { ...STATE, receivedAt: at })),
    mail: { content: mail, state: { ...STATE, receivedAt: at } },
  };
  mailbox.items.push(made);
  return made;
}

export function addFile(
  drive: Vb365Object,
  folder: Vb365Folder | null,
  name: string,
  at: Ms,
  bytes: Buffer,
  versions: readonly Vb365ItemVersion[] = [],
): Vb365Item {
  const time = new Date(at).toISOString();
  const made: Vb365Item = {
    id: uid(`file ${drive.id} ${folder?.id ?? ''} ${name}`),
    folderId: folder?.id ?? null,
    from: at,
    row: {
      name,
      sizeBytes: bytes.byteLength,
      version: '1.0',
      versionId: 512,
      inheritedPermissions: true,
      createdBy: drive.name,
      creationTime: time,
      modifiedBy: drive.name,
      modificationTime: time,
      isFolder: false,
    },
    bytes,
    versions,
  };
  drive.items.push(made);
  return made;
}

/** A row of a list of a site. */
export function addRow(site: Vb365Object, list: Vb365Folder, title: string, at: Ms): Vb365Item {
  const time = new Date(at).toISOString();
  const made: Vb365Item = {
    id: uid(`row ${site.id} ${list.id} ${title}`),
    folderId: list.id,
    from: at,
    row: {
      title,
      name: `${title}_.000`,
      version: '2.0',
      versionId: 1_024,
      createdBy: 'Ann Chovey',
      creationTime: time,
      modifiedBy: 'Ben Dover',
      modificationTime: time,
      isFolder: false,
    },
    bytes: Buffer.alloc(0),
  };
  site.items.push(made);
  return made;
}
