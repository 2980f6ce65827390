import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { PSTFile, type PSTAttachment, type PSTFolder, type PSTMessage } from 'pst-extractor';
import PostalMime, { type Address } from 'postal-mime';
import type {
  MailAttachment,
  MailContent,
  MailState,
} from '#server/engine/embedded/mail/mail-content.ts';
import { makePstWriter } from '#server/engine/embedded/pst/pst-writer.ts';
import type { PlacedBytes } from '#server/engine/embedded/pst/space.ts';
import { toolMissing } from '../../../e2e/tools.ts';

/** A mail, where it lies and what the mailbox says of it. */
export interface SampleMail {
  readonly path: readonly string[];
  readonly mail: MailContent;
  readonly state: MailState;
}
export interface SampleMailbox {
  readonly folders: readonly (readonly string[])[];
  readonly mails: readonly SampleMail[];
}

export const UID = Buffer.from('0f1e2d3c4b5a69788796a5b4c3d2e1f0', 'hex');

/** Writes a mailbox as a file. Returns its path. */
export function writeMailbox({ folders, mails }: SampleMailbox): string {
  const path = join(mkdtempSync(join(tmpdir(), 'daybook-pst-')), 'mailbox.pst');
  const file = openSync(path, 'w');
  const write = (pieces: readonly PlacedBytes[]): void => {
    for (const { at, bytes } of pieces) writeSync(file, bytes, 0, bytes.length, at);
  };
  const writer = makePstWriter({ name: 'Ana Silva', uid: UID });
  for (const folder of folders) writer.addFolder(folder);
  for (const sample of mails) {
    writer.addMail(sample.path, sample.mail, sample.state);
    write(writer.takeWritten());
  }
  write(writer.finish());
  closeSync(file);
  return path;
}

/** What a reader found of a mail, as far as it tells. */
export interface FoundMail {
  readonly folder: string;
  readonly subject: string;
  readonly recipients: readonly string[];
  readonly files: readonly FoundFile[];
}
interface FoundFile {
  readonly name: string;
  /** Of a file, the hash of its bytes; of a mail, what the reader tells of it. */
  readonly content: string;
}

export const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const TOP = 'Top of Personal Folders';

/** Everything of a file as `pst-extractor` reads it. */
export interface Extracted {
  readonly folders: readonly string[];
  readonly mails: readonly (FoundMail & {
    readonly from: string;
    readonly text: string;
    readonly html: string;
    readonly headers: string;
    readonly messageId: string;
    readonly sentAt: number | null;
    readonly receivedAt: number | null;
    readonly isRead: boolean;
    readonly isDraft: boolean;
    readonly isAnswered: boolean;
    readonly importance: number;
  })[];
}

export function extract(path: string): Extracted {
  const mails: Extracted['mails'][number][] = [];
  return { folders: visitExtracted(path, (mail) => mails.push(mail)), mails };
}

/** The same of a large file: its mails one by one. Returns the folders. */
export function visitExtracted(
  path: string,
  visitMail: (mail: Extracted['mails'][number]) => void,
): string[] {
  const file = new PSTFile(path);
  const folders: string[] = [];
  const visit = (folder: PSTFolder, at: readonly string[]): void => {
    folders.push(at.join('\u0001'));
    for (let n = 0; n < folder.contentCount; n++) {
      const mail = folder.getNextChild() as PSTMessage | null;
      if (mail !== null) visitMail(toFound(at.join('\u0001'), mail));
    }
    if (folder.hasSubfolders)
      for (const child of folder.getSubFolders()) visit(child, [...at, child.displayName]);
  };
  const top = file
    .getRootFolder()
    .getSubFolders()
    .find(({ displayName }) => displayName === TOP);
  if (top === undefined) throw new Error('The file has no top folder.');
  visit(top, []);
  file.close();
  return folders;
}

/** NOTEIVERB_REPLYTOSENDER of [MS-OXOMSG] 2.2.1.4. */
const ANSWERED = 102;
const KINDS = ['', 'to', 'cc', 'bcc'];
/** It reads the whole list for each recipient. The others are left to the other readers. */
export const FIRST = 20;

function toFound(folder: string, mail: PSTMessage): Extracted['mails'][number] {
  return {
    folder,
    subject: mail.subject,
    recipients: [
      `${mail.numberOfRecipients}`,
      ...Array.from({ length: Math.min(FIRST, mail.numberOfRecipients) }, (_, n) => {
        const recipient = mail.getRecipient(n);
        return recipient === null
          ? ''
          : `${KINDS[recipient.recipientType]} ${recipient.displayName} <${recipient.emailAddress}>`;
      }),
    ],
    files: Array.from({ length: mail.numberOfAttachments }, (_, n) =>
      toFile(mail.getAttachment(n)),
    ),
    from: `${mail.sentRepresentingName} <${mail.sentRepresentingEmailAddress}>`,
    text: mail.body,
    html: mail.bodyHTML,
    headers: mail.transportMessageHeaders,
    messageId: mail.internetMessageId,
    sentAt: mail.clientSubmitTime?.getTime() ?? null,
    receivedAt: mail.messageDeliveryTime?.getTime() ?? null,
    isRead: mail.isRead,
    isDraft: mail.isUnsent,
    isAnswered: mail.lastVerbExecuted === ANSWERED,
    importance: mail.importance,
  };
}

/** Its reader of attached mails has a defect: it is given no node, and returns nothing. */
function toFile(file: PSTAttachment): FoundFile {
  const { attachMethod, fileInputStream, longFilename } = file;
  if (attachMethod === EMBEDDED) return { name: longFilename, content: 'mail' };
  const bytes = Buffer.alloc(file.filesize);
  if (bytes.length > 0) fileInputStream?.readCompletely(bytes);
  return { name: longFilename, content: hash(bytes) };
}
const EMBEDDED = 5;

/** Why nothing but our library reads the files here; empty if readpst and pffexport do. */
export const missing = [toolMissing('readpst', 'pst-utils'), toolMissing('pffexport', 'pff-tools')]
  .map((why) => (why === null ? '' : ` (skipped: ${why})`))
  .join('');

/** Runs a program, and returns what it prints. */
export function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`${program}: ${stdout}\n${stderr}`);
  return `${stdout}\n${stderr}`;
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/**
 * The mails that `readpst` makes of a file: each one as MIME. With parallel jobs, its default, it
 * loses some on a busy machine.
 */
export async function readWithReadpst(
  path: string,
): Promise<{ printed: string; mails: FoundMail[] }> {
  const out = mkdtempSync(join(tmpdir(), 'daybook-readpst-'));
  const printed = run('readpst', ['-j', '0', '-D', '-b', '-e', '-q', '-8', '-o', out, path]);
  const mails: FoundMail[] = [];
  for (const name of listFiles(out)) {
    const mail = await PostalMime.parse(readFileSync(name), { forceRfc822Attachments: true });
    mails.push({
      folder: relative(out, dirname(name)),
      subject: mail.subject ?? '',
      recipients: [...toPeople('to', mail.to), ...toPeople('cc', mail.cc)],
      files: mail.attachments.map(({ filename, content }) => ({
        name: filename ?? '',
        content: hash(Buffer.from(content as ArrayBuffer)),
      })),
    });
  }
  return { printed, mails };
}

const toPeople = (kind: string, people: readonly Address[] = []): string[] =>
  people.map(({ name, address }) => `${kind} ${name} <${address ?? ''}>`);

/** The mails that `pffexport` makes of a file: each one as a folder of files. */
export function readWithPffexport(path: string): FoundMail[] {
  const out = join(mkdtempSync(join(tmpdir(), 'daybook-pff-')), 'out');
  run('pffexport', ['-q', '-t', out, path]);
  const root = `${out}.export`;
  return listFiles(root)
    .filter(
      (name) => /\/Message\d+\/OutlookHeaders\.txt$/.test(name) && !name.includes('/Attachments/'),
    )
    .map((name) => {
      const at = dirname(name);
      return { folder: dirname(at).slice(root.length + 1), ...readMessage(at) };
    });
}

const readMessage = (at: string): Omit<FoundMail, 'folder'> => ({
  subject:
    /^Subject:\t+(.*)$/m.exec(readFileSync(join(at, 'OutlookHeaders.txt'), 'utf8'))?.[1] ?? '',
  recipients: readRecipients(join(at, 'Recipients.txt')),
  files: readAttachments(join(at, 'Attachments')),
});

function readRecipients(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
  return readFileSync(path, 'utf8')
    .trim()
    .split(/\n\s*\n/)
    .filter((block) => block !== '')
    .map((block) => {
      const get = (label: string): string =>
        new RegExp(`^${label}:\\t+(.*)$`, 'm').exec(block)?.[1] ?? '';
      return `${get('Recipient type').toLowerCase()} ${get('Display name')} <${get('Email address')}>`;
    });
}

function readAttachments(path: string): FoundFile[] {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(path, { withFileTypes: true }).map((entry) => ({
    name: entry.name.replace(/^\d+_/, ''),
    content: entry.isFile()
      ? hash(readFileSync(join(path, entry.name)))
      : describeMail(readMessage(join(path, entry.name, 'Message00001'))),
  }));
}

/** A mail in a mail, with those in it. */
const describeMail = ({ subject, recipients, files }: Omit<FoundMail, 'folder'>): string =>
  JSON.stringify([subject, recipients.toSorted(), files.map(({ content }) => content).sort()]);

/** The same of what was written. `deep`: with what attached mails have. */
export const expectFiles = (
  attachments: readonly MailAttachment[],
  how: 'shallow' | 'deep' = 'shallow',
): FoundFile[] =>
  attachments.map((file) => ({
    name: file.name,
    content:
      file.kind === 'file'
        ? hash(file.bytes)
        : how === 'shallow'
          ? 'mail'
          : describeMail({
              subject: file.message.subject,
              recipients: expectRecipients(file.message),
              files: expectFiles(file.message.attachments, how),
            }),
  }));
export const expectRecipients = ({ recipients }: MailContent): string[] =>
  recipients.map(
    ({ kind, name, address }) => `${kind} ${name === '' ? address : name} <${address}>`,
  );
