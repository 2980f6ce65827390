import { createHash } from 'node:crypto';
import { IMPORTED } from '#contract/engine/imports.ts';
import type { ItemFlags } from '#contract/engine/stored-item.ts';
import { folderKey } from '../sources/outlook/keys.ts';
import { TOP_FOLDERS } from '../sources/outlook/mailbox.ts';
import type { FolderChange, ItemChange } from '../types.ts';
import type { ArchivedState } from './archives/archive.ts';
import type { MailSummary } from './archives/read-archive.ts';

const hash = (...texts: (string | Uint8Array)[]): string => {
  const sum = createHash('sha256');
  for (const text of texts) sum.update(text);
  return sum.digest('hex').slice(0, 40);
};
export const getFolderKey = (path: readonly string[]): string =>
  IMPORTED + hash(JSON.stringify(path));

/** Folders that Outlook and other programs name like this are the mailbox's own. */
const WELL_KNOWN: ReadonlyMap<string, string> = new Map([
  ['inbox', 'inbox'],
  ['drafts', 'drafts'],
  ['sent', 'sentitems'],
  ['sent items', 'sentitems'],
  ['sent mail', 'sentitems'],
  ['deleted items', 'deleteditems'],
  ['trash', 'deleteditems'],
  ['junk email', 'junkemail'],
  ['junk e-mail', 'junkemail'],
  ['junk', 'junkemail'],
  ['spam', 'junkemail'],
  ['outbox', 'outbox'],
  ['archive', 'archive'],
]);

/**
 * Returns a folder and all above it. The same path is the same folder in every import. `wellKnown`: what
 * its source says it is for; undefined: nothing.
 */
export const getFolders = (
  path: readonly string[],
  wellKnown?: string | null,
): readonly FolderChange[] =>
  path.map((name, at) => ({
    key: getFolderKey(path.slice(0, at + 1)),
    parent: at === 0 ? null : getFolderKey(path.slice(0, at)),
    name,
    wellKnown:
      (at === path.length - 1 ? wellKnown : null) ??
      (at === 0 ? (WELL_KNOWN.get(name.toLowerCase()) ?? null) : null),
  }));

/**
 * Returns a file as the index stores it. Its key is that of its place: another content there, or another
 * time, is a new version.
 */
export function toFileItem(
  path: readonly string[],
  name: string,
  {
    content,
    modifiedAt,
    version,
  }: {
    readonly content: Uint8Array;
    readonly modifiedAt: number | null;
    readonly version?: string;
  },
  now: number,
): ItemChange {
  return getFileItem({
    path,
    name,
    at: modifiedAt ?? now,
    changeKey: version ?? hash(content, String(modifiedAt)),
    bytes: content.byteLength,
    sha256: createHash('sha256').update(content).digest('hex'),
  });
}

const getFileItem = ({
  path,
  name,
  at,
  changeKey,
  bytes,
  sha256,
}: {
  readonly path: readonly string[];
  readonly name: string;
  readonly at: number;
  readonly changeKey: string;
  readonly bytes: number;
  readonly sha256: string;
}): ItemChange => ({
  key: getImportedFileKey(path, name),
  changeKey,
  folder: getPlaceKey(path),
  kind: 'file',
  title: name,
  people: '',
  at,
  changedAt: at,
  bytes,
  flags: { hash: `sha256:${sha256}` },
});

/**
 * Passes the content of a large file on. Once it was read to its end, the file is the same as if it had
 * been read as a whole.
 */
export function toLargeFile(
  path: readonly string[],
  name: string,
  {
    content,
    modifiedAt,
    version,
  }: {
    readonly content: AsyncIterable<Uint8Array>;
    readonly modifiedAt: number | null;
    readonly version?: string;
  },
  now: number,
): {
  readonly changedAt: number;
  readonly content: AsyncIterable<Uint8Array>;
  readonly getItem: () => ItemChange;
} {
  const at = modifiedAt ?? now;
  const sum = createHash('sha256');
  let bytes = 0;
  async function* read(): AsyncGenerator<Uint8Array, void> {
    for await (const part of content) {
      sum.update(part);
      bytes += part.length;
      yield part;
    }
  }
  return {
    changedAt: at,
    content: read(),
    getItem() {
      const sha256 = sum.copy().digest('hex');
      const changeKey = version ?? sum.update(String(modifiedAt)).digest('hex').slice(0, 40);
      return getFileItem({ path, name, at, changeKey, bytes, sha256 });
    },
  };
}
/** Folders that only Daybook has, with what the folder in them is that every mailbox has. */
const OUTLOOK_PLACES = {
  event: { top: 'calendars', standard: 'calendar', name: 'calendar' },
  contact: { top: 'contacts', standard: 'contacts', name: 'contacts' },
  task: { top: 'tasks', standard: 'defaultList', name: 'tasks' },
} as const;

/**
 * Returns an event, contact or task as the index stores it, and the folders of its place. Calendars, and
 * lists of tasks, are in no folder: the name of one in others has all their names. Its key is that of its
 * place and its content, as for mails.
 */
export function toOutlookItem(
  path: readonly string[],
  { item, isStandard }: { readonly item: ItemChange; readonly isStandard: boolean },
): { readonly item: ItemChange; readonly folders: readonly FolderChange[] } {
  const { top, standard, name } = OUTLOOK_PLACES[item.kind as keyof typeof OUTLOOK_PLACES];
  const topFolder = TOP_FOLDERS.find(({ key }) => key === top);
  if (topFolder === undefined) throw new Error(`There is no top folder ${top}.`);
  // In files that were written here, they are in a folder that is named like the top.
  const below = path.length > 1 && isName(path[0], topFolder.name) ? path.slice(1) : path;
  const isMain = isStandard || (below.length === 1 && isName(below[0], name));
  const inMain = !isMain && isName(below[0], name) ? below.slice(1) : below;
  const folder: FolderChange = {
    key: folderKey(top, hash(JSON.stringify(path))),
    parent: top,
    name: inMain.join(' / '),
    wellKnown: isMain ? standard : null,
  };
  return {
    item: { ...item, key: `${IMPORTED}${hash(folder.key, item.changeKey)}`, folder: folder.key },
    folders: [topFolder, folder],
  };
}

const isName = (text: string | undefined, other: string): boolean =>
  text?.toLowerCase() === other.toLowerCase();

/** Files of a drive that are in no folder. */
const TOP = '';
const getPlaceKey = (path: readonly string[]): string =>
  path.length === 0 ? TOP : getFolderKey(path);
export const getImportedFileKey = (path: readonly string[], name: string): string =>
  `${IMPORTED}${hash(getPlaceKey(path), '/', name)}`;

/** What people and programs mark mails with. */
export const getMarks = (
  state: Pick<ArchivedState, 'isRead' | 'isFlagged' | 'isAnswered'>,
): Pick<ItemFlags, 'read' | 'flagged' | 'answered'> => ({
  read: state.isRead,
  ...(state.isFlagged && { flagged: true }),
  ...(state.isAnswered === true && { answered: true }),
});

/**
 * Returns a mail as the index stores it. Its key is that of its folder and its bytes: it is imported
 * once, whatever archive it comes from.
 */
export function toItem(
  path: readonly string[],
  mail: {
    readonly mime: Uint8Array;
    readonly state: ArchivedState;
    readonly summary: MailSummary;
  },
  now: number,
): ItemChange {
  const { mime, state, summary } = mail;
  const content = hash(mime);
  const folder = getFolderKey(path);
  const at = state.receivedAt ?? summary.sentAt ?? now;
  const importance = state.importance ?? summary.importance;
  return {
    key: `${IMPORTED}${hash(folder, content)}`,
    changeKey: content,
    folder,
    kind: 'mail',
    title: summary.title,
    people: summary.people,
    at,
    changedAt: at,
    bytes: mime.byteLength,
    flags: {
      ...getMarks(state),
      ...(summary.attachments > 0 && { attachments: summary.attachments }),
      ...(importance !== 'normal' && { importance }),
      ...(state.categories?.length && { categories: state.categories }),
      ...(summary.messageId !== null && { messageId: summary.messageId }),
    },
  };
}
