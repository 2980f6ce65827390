import { crc32 } from 'node:zlib';
import { makePstWriter } from '#server/engine/embedded/pst/pst-writer.ts';
import type { Details } from '#tests/server/outbound/listen.ts';
import type { Vb365Item, Vb365Object } from './restore-state.ts';
import type { Row } from './rows.ts';
import type { Vb365Content } from './state.ts';

// What a server saves of backups: the files of its REST API, as its documentation describes them.

/** The fields that the documents publish of the bodies of saves and exports. */
const PST_FIELDS = 'enablePstSizeLimit pstSizeLimitBytes';
const FIELDS: readonly (readonly [path: RegExp, fields: string])[] = [
  [/^items\/save$/, 'items'],
  [/^items\/exporttopst$/, `items ${PST_FIELDS}`],
  [/^items\/[^/]+\/exporttopst$/, PST_FIELDS],
  [/^(?:folders\/[^/]+\/)?exporttopst$/, `contentKeyword ${PST_FIELDS}`],
  [/^documents\/save$/, 'documents'],
  [/^folders\/save$/, 'folders'],
  [/^documents\/[^/]+\/save$/, 'asZip'],
];
/** What the documents require of a whole row of a file or folder. */
const ROW_FIELDS = 'id name createdBy creationTime modifiedBy modificationTime'.split(' ');

/** A save of an object: a mailbox or drive itself, a folder, or items. */
export interface SaveRequest {
  readonly content: Vb365Content;
  readonly object: Vb365Object;
  /** After the object, with its verb. */
  readonly tail: readonly string[];
  readonly body: Row;
  /** What the point has. */
  readonly items: readonly Vb365Item[];
  readonly refused: (message: string) => Details;
  readonly notFound: () => Details;
}

/** Answers a save or an export. Null: the request is none. */
export function saveFile(request: SaveRequest): Details | null {
  const { content, object, tail, body, items, refused, notFound } = request;
  const verb = tail.at(-1)?.toLowerCase();
  if (verb !== 'save' && verb !== 'exporttopst') return null;
  const isMail = object.list === 'mailboxes';
  if (verb === 'exporttopst' && !isMail) return notFound();
  const path = [...tail.slice(0, -1).map((one, n) => (n === 0 ? one.toLowerCase() : one)), verb];
  const fields = FIELDS.find(([form]) => form.test(path.join('/').replaceAll('%', '')))?.[1] ?? '';
  const unknown = Object.keys(body).find((name) => !fields.split(' ').includes(name));
  if (unknown !== undefined) return refused(`Unknown field: ${unknown}.`);
  if (verb === 'exporttopst' && !content.hasOutlook)
    return refused('Microsoft Outlook is not installed on the server.');
  const [list, id] = path.length === 1 ? [] : path;
  // A mailbox, its folders and a mail of it have no other save than the PST.
  if (isMail && verb === 'save' && list !== 'items') return notFound();
  // Sites, lists and rows have none.
  if (object.list === 'sites' && !['libraries', 'folders', 'documents'].includes(list ?? ''))
    return notFound();
  const rows = (body['documents'] ?? body['items'] ?? []) as readonly Row[];
  if (list === 'documents' && rows.some((row) => ROW_FIELDS.some((name) => !(name in row))))
    return refused('A document is not whole.');
  const isOne = path.length === 3;
  const chosen = items.filter((item) => {
    if (list === undefined) return true;
    if (list === 'folders' || list === 'libraries') return isBelow(object, item.folderId, id ?? '');
    return isOne ? item.id === id : rows.some((row) => row['id'] === item.id);
  });
  if (chosen.length === 0) return notFound();
  const [first] = chosen;
  if (verb === 'exporttopst') return sent(content, writePst(object, chosen));
  if (
    isOne &&
    list !== 'folders' &&
    list !== 'libraries' &&
    first !== undefined &&
    body['asZip'] !== true
  )
    return sent(content, first.bytes);
  return sent(content, writeZip(chosen.map((item) => [getPath(object, item), item.bytes])));
}

export const sent = (content: Vb365Content, bytes: Buffer): Details => ({
  headers: {
    'content-type': 'application/octet-stream',
    ...(content.namesSizes
      ? { 'content-length': String(bytes.length) }
      : { 'transfer-encoding': 'chunked' }),
  },
  body: bytes,
  ...takeCut(content),
});

/** The next answer that is to break off. */
function takeCut(content: Vb365Content): Pick<Details, 'cutAt' | 'cutsQuietly'> {
  const cut = content.cuts.shift();
  return cut ?? {};
}

export const isBelow = (object: Vb365Object, folder: string | null, above: string): boolean =>
  folder !== null &&
  (folder === above ||
    isBelow(object, object.folders.find(({ id }) => id === folder)?.parentId ?? null, above));

/** As in the drive, from its top. */
function getPath(object: Vb365Object, { folderId, row }: Vb365Item): string {
  const { name = `${row['subject'] as string}.msg` } = row as { readonly name?: string };
  const names = [name];
  for (let id = folderId; id !== null;) {
    const folder = object.folders.find((one) => one.id === id);
    if (folder === undefined) break;
    names.unshift(folder.name);
    id = folder.parentId;
  }
  return names.join('/');
}

function writePst(object: Vb365Object, items: readonly Vb365Item[]): Buffer {
  const writer = makePstWriter({ name: object.name, uid: Buffer.alloc(16, 7) });
  const pieces = items.flatMap((item) => {
    const folder = object.folders.find(({ id }) => id === item.folderId)?.name ?? 'Inbox';
    if (item.mail !== undefined) writer.addMail([folder], item.mail.content, item.mail.state);
    return writer.takeWritten();
  });
  const all = [...pieces, ...writer.finish()];
  const file = Buffer.alloc(Math.max(...all.map(({ at, bytes }) => at + bytes.length)));
  for (const { at, bytes } of all) file.set(bytes, at);
  return file;
}

/** A ZIP archive of stored files (APPNOTE 4.3), with names in UTF-8. */
export function writeZip(files: readonly (readonly [name: string, bytes: Buffer])[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [name, bytes] of files) {
    const path = Buffer.from(name, 'utf8');
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    local.push(Buffer.from('PK\x03\x04', 'latin1'), common, path, bytes);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    central.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), common, rest, path);
    at += 30 + path.length + bytes.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...local, directory, end]);
}
