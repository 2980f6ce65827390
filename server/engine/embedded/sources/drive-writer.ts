import * as v from 'valibot';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { GraphClient } from '../graph/client.ts';
import type { GraphPorts, GraphResult } from '../graph/request.ts';
import { cancelUpload, upload } from '../graph/upload.ts';
import type {
  FileOnPath,
  FoundObject,
  FolderRecorder,
  Place,
  StoredItem,
  WriteInput,
  Writer,
  Written,
} from '../types.ts';
import { contentFailure } from './content.ts';
import { DriveItem, driveClient, drivePath, getItem } from './drive.ts';
import { removeDriveFolder, removeFile } from './drive-removal.ts';
import { describeMove, isInPlace } from './moved-folder.ts';
import { shareItem, unshareItem } from './share.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { failed, nothing } from '../../result.ts';

/** Writes files back to drives. What it replaces stays there as an older version. */
export const driveWriter = (ports: GraphPorts): Writer =>
  writeToDrive(async (object, call) => {
    const client = driveClient(ports, object, call);
    const path = await drivePath(client, object);
    return path.ok ? { ok: true, value: { client, path: path.value } } : path;
  });

/** Writes to the drives that `open` returns. */
export function writeToDrive(open: OpenDrive): Writer {
  return {
    async find(place, item, call) {
      const drive = await open(place.object, call);
      if (!drive.ok) return drive;
      const folder = await findFolder(drive.value, place);
      if (!folder.ok) return folder;
      return folder.value === null ? nothing : findFile(drive.value, folder.value, item);
    },
    async findCopy(place, item, others, call) {
      const drive = await open(place.object, call);
      if (!drive.ok) return drive;
      const folder = await findFolder(drive.value, place);
      if (!folder.ok) return folder;
      return folder.value === null ? nothing : findCopy(drive.value, folder.value, item, others);
    },
    async findFolder(place, call) {
      const drive = await open(place.object, call);
      return drive.ok ? findFolder(drive.value, place) : drive;
    },
    async findFileOnPath(place, call) {
      const drive = await open(place.object, call);
      return drive.ok ? findFileOnPath(drive.value, place) : drive;
    },
    async describePlace(place, folder, call) {
      if (place.path.length === 0) return nothing;
      const drive = await open(place.object, call);
      return drive.ok ? describeFolder(drive.value, place, folder) : drive;
    },
    async ensureFolder(place, call, recorder) {
      const drive = await open(place.object, call);
      return drive.ok ? ensureFolder(drive.value, place, recorder) : drive;
    },
    async write(place, item, input, call) {
      const drive = await open(place.object, call);
      if (!drive.ok) return drive;
      const folder = await ensureFolder(drive.value, place);
      return folder.ok ? writeFile(drive.value, folder.value.key, item, input) : folder;
    },
    async rename(object, { key, changeKey }, name, call) {
      const drive = await open(object, call);
      return drive.ok ? renameItem(drive.value, key, changeKey, name) : drive;
    },
    async remove(object, written, call, before) {
      const drive = await open(object, call);
      return drive.ok ? removeFile(drive.value, written, before) : drive;
    },
    async removeFolder(object, key, call) {
      const drive = await open(object, call);
      return drive.ok ? removeDriveFolder(drive.value, key) : drive;
    },
    async share(object, { key, changeKey }, grants, call) {
      const drive = await open(object, call);
      if (!drive.ok) return drive;
      const isOther = call.isOtherOrganization === true;
      return shareItem(drive.value.client, itemPath(drive.value, key), changeKey, grants, isOther);
    },
    async unshare(object, key, permissions, call) {
      const drive = await open(object, call);
      if (!drive.ok) return drive;
      return unshareItem(drive.value.client, itemPath(drive.value, key), permissions);
    },
  };
}

interface Drive {
  readonly client: GraphClient;
  /** `/drives/<id>` */
  readonly path: string;
}
export type OpenDrive = (
  object: Place['object'],
  call: Parameters<Writer['find']>[2],
) => Reply<Drive>;

const itemPath = ({ path }: Drive, key: string): string =>
  `${path}/items/${encodeURIComponent(key)}`;

/**
 * Returns the path of a name within a folder; null for names that would lead elsewhere (G66). The
 * colon at the end keeps a name of dots a name.
 */
const childPath = (drive: Drive, folder: string, name: string): string | null =>
  name === '' || name === '.' || name === '..' || /[/\\]/.test(name)
    ? null
    : `${itemPath(drive, folder)}:/${encodeURIComponent(name)}:`;

// ---- folders

async function findChild(drive: Drive, folder: string, name: string): Reply<DriveItem | null> {
  const path = childPath(drive, folder, name);
  if (path === null) return failed('invalid', t.badName);
  return nullIfMissing(drive.client.get(path, DriveItem));
}

async function nullIfMissing(result: Promise<GraphResult<DriveItem>>): Reply<DriveItem | null> {
  const found = await result;
  if (found.ok) return found;
  return found.error.kind === 'missing' ? nothing : { ok: false, error: found.error };
}

const findRoot = async ({ client, path }: Drive): Reply<string> => {
  const root = await client.get(`${path}/root?$select=id`, v.object({ id: v.string() }));
  return root.ok ? { ok: true, value: root.value.id } : { ok: false, error: root.error };
};

async function findFolder(drive: Drive, { path }: Place): Reply<string | null> {
  const root = await findRoot(drive);
  if (!root.ok) return root;
  let parent = root.value;
  for (const { name } of path) {
    const found = await findChild(drive, parent, name);
    if (!found.ok) return found;
    if (found.value === null || !found.value.folder) return nothing;
    parent = found.value.id;
  }
  return { ok: true, value: parent };
}

async function findFileOnPath(drive: Drive, { path }: Place): Reply<FileOnPath | null> {
  const root = await findRoot(drive);
  if (!root.ok) return root;
  let parent = root.value;
  for (const [depth, { name }] of path.entries()) {
    const found = await findChild(drive, parent, name);
    if (!found.ok) return found;
    if (found.value === null) return nothing;
    const { id, folder } = found.value;
    if (!folder) return { ok: true, value: { key: id, below: path.length - depth - 1 } };
    parent = id;
  }
  return nothing;
}

/** One request tells where a folder is, unless it has moved. */
async function describeFolder(drive: Drive, place: Place, key: string): Reply<string | null> {
  const folder = await nullIfMissing(drive.client.get(itemPath(drive, key), DriveItem));
  if (!folder.ok || folder.value === null) return folder.ok ? nothing : folder;
  const { name, parentReference, deleted } = folder.value;
  const above = /\/root:(.*)$/.exec(parentReference?.path ?? '')?.[1];
  if (above === undefined || deleted) return nothing;
  const now = [...above.split('/').filter(Boolean).map(decodeName), name ?? ''];
  if (isInPlace(now, place.path)) return nothing;
  const other = await findFolder(drive, place);
  return other.ok
    ? { ok: true, value: describeMove(now, place.path, other.value !== null) }
    : other;
}

/** Graph publishes paths in percent-encoding. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

async function ensureFolder(
  drive: Drive,
  { path }: Place,
  recorder?: FolderRecorder,
): Reply<{ key: string; created: readonly string[] }> {
  const root = await findRoot(drive);
  if (!root.ok) return root;
  const created: string[] = [];
  let parent = root.value;
  for (const [depth, { name }] of path.entries()) {
    const found = await findChild(drive, parent, name);
    if (!found.ok) return found;
    if (found.value?.folder) {
      parent = found.value.id;
      continue;
    }
    const part = path.slice(0, depth + 1);
    await recorder?.before(part);
    const added = await drive.client.post(
      `${itemPath(drive, parent)}/children`,
      { name, 'folder': {}, '@microsoft.graph.conflictBehavior': 'fail' },
      DriveItem,
    );
    // Somebody else, or the request whose response was lost, has made it meanwhile.
    const other: EngineResult<DriveItem | null> = added.ok
      ? added
      : await findChild(drive, parent, name);
    if (!other.ok || !other.value?.folder)
      return {
        ok: false,
        error: added.ok ? { kind: 'internal', message: t.unreadable } : added.error,
      };
    parent = other.value.id;
    const isOwn = added.ok || added.error.kind !== 'conflict';
    if (isOwn) created.push(parent);
    await recorder?.after(part, isOwn ? parent : null);
  }
  return { ok: true, value: { key: parent, created } };
}

// ---- files

/**
 * The file itself, also under another name; but one that has its name now comes first. Without a key,
 * only that one is looked for.
 */
async function findFile(drive: Drive, folder: string, item: StoredItem): Reply<FoundObject | null> {
  const byKey =
    item.key === ''
      ? nothing
      : await nullIfMissing(drive.client.get(itemPath(drive, item.key), DriveItem));
  if (!byKey.ok) return byKey;
  const isThere = byKey.value?.parentReference?.id === folder && !byKey.value.deleted;
  const own = isThere && byKey.value?.file ? byKey.value : null;
  if (own !== null && own.name === item.title) return { ok: true, value: toFoundFile(own, item) };
  const named = await findChild(drive, folder, item.title);
  if (!named.ok) return named;
  const other = named.value !== null && named.value.id !== own?.id ? named.value : null;
  const found = own === null ? null : toFoundFile(own, item);
  if (other !== null && !other.file)
    return {
      ok: true,
      value: {
        key: other.id,
        changeKey: other.eTag ?? '',
        isSame: false,
        own: found,
        refusal: t.nameOfFolder,
      },
    };
  return {
    ok: true,
    value: other === null ? found : { ...toFoundFile(other, item), own: found },
  };
}

/** A file as another writer names it: `toKey` returns its key there. */
export function mapKeys(
  found: FoundObject | null,
  toKey: (key: string) => string,
): FoundObject | null {
  if (found === null) return null;
  const { own, ...rest } = found;
  const key = toKey(found.key);
  return own === undefined ? { ...rest, key } : { ...rest, key, own: mapKeys(own, toKey) };
}

/** The same state, or the same name, size, content and time. */
function toFoundFile(row: DriveItem, item: StoredItem): FoundObject {
  const now = getItem(row, '');
  const hasContent =
    now.bytes === item.bytes &&
    now.flags.hash === item.flags.hash &&
    Math.floor(now.changedAt / 1_000) === Math.floor(item.changedAt / 1_000);
  const { key, changeKey, title: name } = now;
  const isSame = changeKey === item.changeKey || (name === item.title && hasContent);
  return isSame ? { key, changeKey, isSame } : { key, changeKey, isSame, name, hasContent };
}

/** The names of an item and of its copies, `Plan.docx`, `Plan 1.docx`. */
export function getCopyName(title: string, n: number): string {
  if (n === 0) return title;
  const dot = title.lastIndexOf('.');
  return dot > 0 ? `${title.slice(0, dot)} ${n}${title.slice(dot)}` : `${title} ${n}`;
}

/** Looks for an item among its copies in a folder, without those that have these keys. */
async function findCopy(
  drive: Drive,
  folder: string,
  item: StoredItem,
  others: readonly string[],
): Reply<FoundObject | null> {
  for (let n = 0; ; n++) {
    const title = getCopyName(item.title, n);
    const row = await findChild(drive, folder, title);
    if (!row.ok) return row;
    if (row.value === null && n > 0) return nothing;
    if (!row.value?.file || others.includes(row.value.id)) continue;
    const copy = toFoundFile(row.value, { ...item, title });
    if (copy.isSame) return { ok: true, value: copy };
  }
}

/** Returns the first name of a file or its copies that nothing in the folder has. */
async function findFreeName(drive: Drive, folder: string, title: string): Reply<string> {
  for (let n = 0; ; n++) {
    const name = getCopyName(title, n);
    const row = await findChild(drive, folder, name);
    if (!row.ok) return row;
    if (row.value === null) return { ok: true, value: name };
  }
}

/** Names that are tried in turn, if somebody takes each free one meanwhile. */
const MAX_NAMES = 5;

async function writeFile(
  drive: Drive,
  folder: string,
  item: StoredItem,
  input: WriteInput,
): Reply<Written> {
  if (!input.keepBoth) return writeNamed(drive, folder, item, input);
  for (let tries = 1; ; tries++) {
    const title = await findFreeName(drive, folder, item.title);
    if (!title.ok) return title;
    const written = await writeNamed(drive, folder, { ...item, title: title.value }, input);
    if (written.ok || written.error.kind !== 'conflict' || tries === MAX_NAMES) return written;
  }
}

async function writeNamed(
  drive: Drive,
  folder: string,
  item: StoredItem,
  input: WriteInput,
): Reply<Written> {
  const child = childPath(drive, folder, item.title);
  if (child === null) return failed('invalid', t.badName);
  const renamed = await rename(drive, input.replaces, item.title);
  if (!renamed.ok) return renamed;
  const replaces = renamed.value;
  if (replaces !== null && input.replaces?.hasContent === true)
    return { ok: true, value: { key: replaces.key, changeKey: replaces.changeKey } };
  const target = replaces === null ? child : itemPath(drive, replaces.key);
  const raw = await input.content('raw');
  if (!raw.ok) return raw;
  const conflict = replaces === null ? 'fail' : 'replace';
  const headers = replaces === null ? {} : { 'if-match': replaces.changeKey };
  const fileSystemInfo = {
    createdDateTime: new Date(item.at).toISOString(),
    lastModifiedDateTime: new Date(item.changedAt).toISOString(),
  };
  const sent =
    item.bytes === 0
      ? await putEmpty(drive, target, { conflict, headers, fileSystemInfo })
      : await uploadFile(drive, target, {
          conflict,
          headers,
          fileSystemInfo,
          item,
          content: raw.value,
        });
  if (sent.ok) return { ok: true, value: toWritten(sent.value) };
  // The response is lost, and the file may be there.
  const { error } = sent;
  if (error.kind !== 'unreachable' && error.kind !== 'internal') return { ok: false, error };
  const now = await nullIfMissing(drive.client.get(target, DriveItem));
  const isWritten =
    now.ok &&
    now.value !== null &&
    now.value.eTag !== replaces?.changeKey &&
    now.value.size === item.bytes &&
    getItem(now.value, '').flags.hash === item.flags.hash;
  return isWritten && now.ok && now.value !== null
    ? { ok: true, value: toWritten(now.value) }
    : { ok: false, error };
}

/** Gives a file that will be replaced the name of the item version. */
async function rename(
  drive: Drive,
  found: FoundObject | null,
  name: string,
): Reply<FoundObject | null> {
  if (found?.name === undefined || found.name === name) return { ok: true, value: found };
  const renamed = await renameItem(drive, found.key, found.changeKey, name);
  return renamed.ok
    ? { ok: true, value: { ...found, name, changeKey: renamed.value.changeKey } }
    : renamed;
}

async function renameItem(
  drive: Drive,
  key: string,
  changeKey: string,
  name: string,
): Reply<Written> {
  const renamed = await drive.client.patch(itemPath(drive, key), { name }, DriveItem, {
    headers: { 'if-match': changeKey },
  });
  return renamed.ok
    ? { ok: true, value: toWritten(renamed.value) }
    : { ok: false, error: renamed.error };
}

interface FileInput {
  readonly conflict: 'replace' | 'fail';
  readonly headers: Readonly<Record<string, string>>;
  readonly fileSystemInfo: Readonly<Record<string, string>>;
}

async function uploadFile(
  { client }: Drive,
  target: string,
  {
    conflict,
    headers,
    fileSystemInfo,
    item,
    content,
  }: FileInput & { readonly item: StoredItem; readonly content: AsyncIterable<Uint8Array> },
): Reply<DriveItem> {
  const { ports, scope } = client;
  const session = await client.post(
    `${target}/createUploadSession`,
    { item: { '@microsoft.graph.conflictBehavior': conflict, fileSystemInfo } },
    v.object({ uploadUrl: v.string() }),
    { headers, isRepeatable: true },
  );
  if (!session.ok) return { ok: false, error: session.error };
  const { uploadUrl } = session.value;
  try {
    const uploaded = await upload(
      ports,
      scope,
      { uploadUrl, bytes: item.bytes, content },
      DriveItem,
    );
    if (uploaded.ok) return uploaded;
    await cancelUpload(ports, scope, uploadUrl);
    return { ok: false, error: uploaded.error };
  } catch (error) {
    await cancelUpload(ports, scope, uploadUrl);
    return { ok: false, error: contentFailure(error) };
  }
}

/** Upload sessions take no file without content. */
async function putEmpty(
  drive: Drive,
  target: string,
  { conflict, headers, fileSystemInfo }: FileInput,
): Reply<DriveItem> {
  const put = await drive.client.putBytes(
    `${target}/content?@microsoft.graph.conflictBehavior=${conflict}`,
    new Uint8Array(0),
    DriveItem,
    { headers },
  );
  if (!put.ok) return { ok: false, error: put.error };
  const dated = await drive.client.patch(
    itemPath(drive, put.value.id),
    { fileSystemInfo },
    DriveItem,
  );
  return dated.ok ? dated : { ok: false, error: dated.error };
}

const toWritten = (row: DriveItem): Written => ({ key: row.id, changeKey: row.eTag ?? '' });
