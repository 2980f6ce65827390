import type { Ms } from '#contract/ids.ts';
import { type Rng, between, makeRng, mixed, pickOne, upTo } from '../random.ts';
import { makePicture } from './content.ts';
import { createDrive, changeContent, insertItem } from './drive-store.ts';
import { getOwner } from './drive.ts';
import { seedGroups } from './groups.ts';
import { conversationId, digest } from './ids.ts';
import {
  type Correspondent,
  type MailText,
  makeMailText,
  outsider,
  pastTime,
} from './mail-content.ts';
import {
  type FolderRow,
  type MessageProps,
  type NewAttachment,
  addFolder,
  addMessage,
  createMailbox,
  findFolder,
} from './mailbox-store.ts';
import { type Person, addPerson } from './people.ts';
import type { Tenant } from './store.ts';

export interface TenantSize {
  readonly people: number;
  /** Entries of the directory without mails and files. */
  readonly otherPeople: number;
  readonly groups: number;
  readonly minMails: number;
  readonly maxMails: number;
  readonly minFiles: number;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
}

export const DEFAULT_SIZE: TenantSize = {
  people: 12,
  otherPeople: 0,
  groups: 4,
  minMails: 20,
  maxMails: 400,
  minFiles: 8,
  maxFiles: 70,
  maxFileBytes: 3_000_000,
};

/** Fills an empty tenant: people with their mailboxes and drives, the same for the same seed. */
export function seedTenant(tenant: Tenant, size: TenantSize): void {
  tenant.store.transaction(() => {
    const people = Array.from({ length: size.people }, (_, at) =>
      addPerson(tenant, roleAt(at, size.people)),
    );
    for (const person of people) fillPerson(tenant, person, people, size);
    seedGroups(tenant, people, size.groups);
    for (let at = 0; at < size.otherPeople; at += 1)
      addPerson(tenant, { hasContent: false, hasDrive: at % 3 > 0 });
  });
}

/** The last people of a tenant are the special ones. */
function roleAt(at: number, total: number): Parameters<typeof addPerson>[1] {
  if (total < 6) return {};
  const fromEnd = total - at;
  if (fromEnd === 4) return { hasDrive: false };
  if (fromEnd === 3) return { mailbox: 'none', hasDrive: true };
  if (fromEnd === 2) return { mailbox: 'shared', name: { given: 'Front Desk', family: '' } };
  return fromEnd === 1 ? { mailbox: 'inactive', hasDrive: false } : {};
}

/** Gives a person a mailbox with mails and a drive with files, as far as the person has them. */
export function fillPerson(
  tenant: Tenant,
  person: Person,
  people: readonly Person[],
  size: TenantSize,
): void {
  const random = makeRng(tenant.seed, 'fill', person.n);
  if (person.mailbox !== 'none') {
    createMailbox(tenant, person.id);
    fillMailbox(
      tenant,
      person,
      people,
      random,
      Math.round(between(random, size.minMails, size.maxMails)),
    );
  }
  if (person.hasDrive) fillDrive(tenant, person, random, size);
}

const OWN_FOLDERS: readonly (readonly [string, string | null])[] = [
  ['Projects', null],
  ['Quay extension', 'Projects'],
  ['Drawings', 'Quay extension'],
  ['Customers', null],
  ['Invoices', null],
  ['Travel', null],
  ['Newsletters', 'inbox'],
];
const SHARES: readonly (readonly [string, number])[] = [
  ['inbox', 40],
  ['sentitems', 22],
  ['archive', 8],
  ['deleteditems', 6],
  ['junkemail', 3],
  ['drafts', 3],
  ['Projects', 3],
  ['Quay extension', 4],
  ['Drawings', 2],
  ['Customers', 3],
  ['Invoices', 3],
  ['Travel', 1],
  ['Newsletters', 2],
];

function fillMailbox(
  tenant: Tenant,
  person: Person,
  people: readonly Person[],
  random: Rng,
  total: number,
): void {
  const folders = new Map<string, FolderRow>();
  const folderAt = (name: string): FolderRow => {
    const known = folders.get(name) ?? findFolder(tenant, person.id, name);
    folders.set(name, known);
    return known;
  };
  for (const [name, parent] of OWN_FOLDERS)
    folders.set(name, addFolder(tenant, person.id, folderAt(parent ?? 'msgfolderroot').id, name));
  const times = Array.from({ length: total }, () => pastTime(random, tenant.now())).sort(
    (a, b) => a - b,
  );
  const places = SHARES.flatMap(([name, share]) => Array.from({ length: share }, () => name));
  for (const [at, time] of times.entries()) {
    const place = places[upTo(random, places.length)] ?? 'inbox';
    makeMessage(tenant, person, people, {
      random,
      folder: folderAt(place),
      at: time,
      serial: at,
    });
  }
}

/** Adds one mail to a folder: sent by the person, a draft, or received, as the folder says. */
export function makeMessage(
  tenant: Tenant,
  person: Person,
  people: readonly Person[],
  mail: {
    readonly random: Rng;
    readonly folder: FolderRow;
    readonly at: Ms;
    readonly serial: number;
  },
): void {
  const { random, folder, at, serial } = mail;
  const { seed } = tenant;
  const self: Correspondent = { name: person.name, address: person.mail ?? person.upn };
  const isDraft = folder.well_known === 'drafts';
  const isOwn = isDraft || folder.well_known === 'sentitems';
  const thread = mixed(seed, person.n, 'thread', Math.floor(serial / 3) + upTo(random, 4));
  const place = upTo(random, 4);
  const other = random() < 0.5 ? outsider(random) : colleague(people, person, random);
  const from = isOwn ? self : other;
  const text = makeMailText(seed, thread, place, from.name);
  const messageKey = digest(seed, person.n, 'mail', serial, at).toString('hex').slice(0, 24);
  const props: MessageProps = {
    subject: text.subject,
    body:
      text.html === null
        ? { contentType: 'text', content: text.text }
        : { contentType: 'html', content: text.html },
    from,
    sender: from,
    to: [isOwn ? other : self],
    cc: random() < 0.3 ? [colleague(people, person, random)] : [],
    bcc: [],
    replyTo: [],
    conversationId: conversationId(tenant, thread),
    internetMessageId: `<${messageKey}@mail.${from.address.split('@')[1] ?? tenant.domain}>`,
    inReplyTo:
      place === 0
        ? null
        : `<${digest(seed, thread, place).toString('hex').slice(0, 24)}@mail.${tenant.domain}>`,
    importance: random() < 0.06 ? 'high' : random() < 0.03 ? 'low' : 'normal',
    categories:
      random() < 0.08 ? [pickOne(['Blue category', 'Red category', 'Project'], random)] : [],
    flag: random() < 0.07 ? { flagStatus: 'flagged' } : { flagStatus: 'notFlagged' },
    isDraft,
    sentAt: at - upTo(random, 90) * 1000,
    focused: random() < 0.8,
    isReadReceiptRequested: false,
    isDeliveryReceiptRequested: false,
    headers: [],
    extended: [],
  };
  addMessage(tenant, {
    folder,
    props,
    receivedAt: at,
    createdAt: at,
    isRead: isOwn || random() < 0.8,
    attachments: getAttachments(text, seed, person.n, serial),
  });
}

const colleague = (people: readonly Person[], self: Person, random: Rng): Correspondent => {
  const others = people.filter(({ id, mail }) => id !== self.id && mail !== null);
  const other = others[upTo(random, others.length)] ?? self;
  return { name: other.name, address: other.mail ?? other.upn };
};

function getAttachments(text: MailText, seed: number, n: number, serial: number): NewAttachment[] {
  const files = text.files.map(({ name, type, size }, at): NewAttachment => ({
    name,
    type,
    isInline: false,
    contentId: null,
    content: { seed: mixed(seed, n, serial, at), size },
  }));
  return text.hasLogo ? [...files, makeLogo(mixed(seed, 'logo'))] : files;
}

/** Its bytes depend only on the seed, so every mail of a sender has the same. */
const makeLogo = (seed: number): NewAttachment => ({
  name: 'logo.png',
  type: 'image/png',
  isInline: true,
  contentId: 'logo',
  content: { seed, size: makePicture(seed).length },
});

const FOLDERS = [
  'Reports',
  'Contracts',
  'Photos',
  'Drawings',
  'Old',
  'Planning',
  'Müller & Söhne',
  '2025',
  'Shared with yard',
] as const;
const FILES = [
  'Budget.xlsx',
  'Minutes.docx',
  'Offer.pdf',
  'Site photo.jpg',
  'Plan.dwg',
  'Notes.txt',
  'Contacts.csv',
  'Handover.pptx',
  'Archive.zip',
  'Read me.md',
  'Übersicht.docx',
  'Quote #7 (final).pdf',
] as const;

function fillDrive(tenant: Tenant, person: Person, random: Rng, size: TenantSize): void {
  const start = tenant.now() - 700 * 86_400_000;
  const drive = createDrive(tenant, getOwner(person), start);
  const root = tenant.store.get<{ id: string }>(
    'select id from item where drive_id = ? and parent_id is null',
    drive.id,
  );
  const folders = [root?.id ?? ''];
  const total = Math.round(between(random, size.minFiles, size.maxFiles));
  const folderCount = Math.max(2, Math.round(total / 6));
  for (let at = 0; at < folderCount; at += 1) {
    const parentId = folders[upTo(random, folders.length)] ?? folders[0] ?? '';
    const name = `${FOLDERS[at % FOLDERS.length] ?? 'Folder'}${at < FOLDERS.length ? '' : ` ${at}`}`;
    const folder = insertItem(tenant, {
      driveId: drive.id,
      parentId,
      name,
      author: person.id,
      at: start + at * 1000,
      content: null,
    });
    folders.push(folder.id);
  }
  for (let at = 0; at < total; at += 1) {
    const parentId = folders[upTo(random, folders.length)] ?? '';
    makeFile(tenant, person, {
      driveId: drive.id,
      parentId,
      random,
      serial: at,
      maxBytes: size.maxFileBytes,
      at: pastTime(random, tenant.now()),
    });
  }
}

/** Adds a file, sometimes with former versions, sometimes shared. */
export function makeFile(
  tenant: Tenant,
  person: Person,
  file: {
    readonly driveId: string;
    readonly parentId: string;
    readonly random: Rng;
    readonly serial: number;
    readonly maxBytes: number;
    readonly at: Ms;
  },
): void {
  const { random } = file;
  const [stem = '', ending = ''] = pickOne(FILES, random).split(/\.(?=[a-z]+$)/);
  const name = `${stem} ${file.serial + 1}.${ending}`;
  const bytes = Math.round(2_500 + random() ** 5 * (file.maxBytes - 2_500));
  const seed = mixed(tenant.seed, 'file', file.driveId, file.serial);
  let item = insertItem(tenant, {
    driveId: file.driveId,
    parentId: file.parentId,
    name,
    author: person.id,
    at: file.at,
    content: { size: bytes, content: { kind: 'made', seed, revision: 0, name } },
  });
  const revisions = random() < 0.3 ? 1 + upTo(random, 3) : 0;
  for (let revision = 1; revision <= revisions; revision += 1) {
    const at = Math.min(tenant.now(), file.at + revision * 86_400_000);
    item = changeContent(
      { ...tenant, now: () => at },
      item,
      { size: bytes + revision * 10, content: { kind: 'made', seed, revision, name } },
      person.id,
    );
  }
  if (random() < 0.1)
    tenant.store.insert('permission', {
      id: digest('permission', item.id).toString('base64url').slice(0, 24),
      item_id: item.id,
      props: JSON.stringify({
        roles: [random() < 0.5 ? 'read' : 'write'],
        link: {
          scope: 'organization',
          type: 'view',
          webUrl: `https://demo-my.sharepoint.com/:x:/g/${item.id}`,
        },
        hasPassword: false,
      }),
    });
}
