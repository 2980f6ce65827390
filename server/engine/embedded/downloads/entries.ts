import { sql } from 'kysely';
import * as v from 'valibot';
import type { DownloadInput } from '#contract/engine/downloads.ts';
import type { ItemKind, PartRole } from '#contract/engine/engine.ts';
import type { ItemFlags, StoredPart } from '#contract/engine/stored-item.ts';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { MailState } from '../mail/mail-content.ts';
import type { Plan } from '../restore/plan.ts';
import type { ZipEntry } from '../zip/ranged-zip.ts';

/** A file of a download, with the blobs of its content. */
export interface DownloadEntry extends ZipEntry {
  readonly blobs: readonly string[];
  /** Of a mail for another program. */
  readonly mail?: MailEntry;
}

/** Where a mail lay, with the names that its mailbox has, and what the mailbox stores of it. */
export interface MailEntry {
  readonly folder: readonly string[];
  readonly subject: string;
  readonly kind: MailboxKind;
  readonly state: MailState;
}

/** What mailboxes have that other programs store too. */
type MailboxKind = 'mail' | 'event' | 'contact' | 'task';

/** An item that a download takes, before it has its name. */
export interface ChosenItem {
  /** Folders and the name of the file, from content: never a path as it is. */
  readonly path: readonly string[];
  readonly modifiedAt: Ms;
  /** Null: its content could not be backed up. */
  readonly part: StoredPart | null;
  readonly kind: ItemKind;
  /** Null: not of a mailbox. */
  readonly mail: MailEntry | null;
}

/** The maximum number of items read at a time. */
const BATCH_ROWS = 500;
/**
 * In this order: mails as `.eml`, files as they are, events and tasks as `.ics`, contacts as `.vcf`,
 * everything else as JSON.
 */
const ROLES: readonly PartRole[] = ['mime', 'raw', 'html', 'ics', 'vcf', 'json'];
/** All that is known of an item, for formats of mailboxes. */
const MAILBOX_ROLES: readonly PartRole[] = ['mime', 'json'];
const EXTENSIONS: Readonly<Partial<Record<PartRole, string>>> = {
  mime: '.eml',
  html: '.html',
  ics: '.ics',
  vcf: '.vcf',
  json: '.json',
};

interface Row {
  readonly n: number;
  readonly kind: ItemKind;
  readonly title: string;
  readonly at: Ms;
  readonly changedAt: Ms;
  readonly parts: readonly StoredPart[];
  readonly flags: ItemFlags;
}
type Holds = NonNullable<DownloadInput['holds']>;
/** Runs one statement in a separate transaction. */
export type ReadRows = <T>(read: (tx: TenantTx) => Promise<T>) => Promise<T>;

/**
 * Yields what a plan takes, always in the same order: chosen items, then folder by folder, the
 * newest item first. Every batch is a separate transaction, so that other work doesn't wait.
 */
export async function* chosenItems(
  read: ReadRows,
  plan: Plan,
  holds: Holds,
): AsyncIterable<ChosenItem[]> {
  const roles = holds === 'mailbox-items' ? MAILBOX_ROLES : ROLES;
  for (let at = 0; at < plan.items.length; at += BATCH_ROWS) {
    const batch = plan.items.slice(at, at + BATCH_ROWS);
    const rows = await read((tx) => readVersions(tx, batch));
    yield batch.flatMap(({ object, item, path }) => {
      const row = rows.get(`${object}.${item}`);
      return row === undefined ? [] : chosen(row, path, roles);
    });
  }
  for (const folder of plan.folders)
    for (let after: Row | null = null; ;) {
      const last: Row | null = after;
      const rows: readonly Row[] = await read((tx) => readFolder(tx, folder, last));
      if (rows.length > 0) yield rows.flatMap((row) => chosen(row, folder.path, roles));
      if (rows.length < BATCH_ROWS) break;
      after = rows.at(-1) ?? null;
    }
}

function chosen(
  { kind, title, at, changedAt, parts, flags }: Row,
  path: readonly { readonly name: string }[],
  wanted: readonly PartRole[],
): ChosenItem[] {
  const folder = path.map(({ name: part }) => part);
  const roles = wanted.filter((role) => parts.some((part) => part.as === role));
  const name = title.trim() === '' ? kind : title;
  // A post is a page to read, and everything that is known of it.
  const shown = kind === 'post' ? roles : roles.slice(0, 1);
  return (shown.length === 0 ? [null] : shown).map((as) => ({
    path: [...folder, withExtension(name, EXTENSIONS[as ?? 'raw'] ?? '')],
    modifiedAt: kind === 'file' ? changedAt : at,
    part: parts.find((one) => one.as === as) ?? null,
    kind,
    mail: isMailboxKind(kind) ? { folder, subject: title, kind, state: toState(at, flags) } : null,
  }));
}

const MAILBOX_KINDS = ['mail', 'event', 'contact', 'task'] as const satisfies MailboxKind[];
const isMailboxKind = (kind: ItemKind): kind is MailboxKind =>
  MAILBOX_KINDS.some((known) => known === kind);

const toState = (receivedAt: Ms, flags: ItemFlags): MailState => ({
  receivedAt,
  isRead: flags.read ?? true,
  isDraft: flags.draft ?? false,
  isFlagged: flags.flagged ?? false,
  isAnswered: flags.answered,
  importance: flags.importance ?? null,
  categories: flags.categories ?? [],
});

/** Room for the extension: what follows the last dot of a subject is not one. */
const withExtension = (name: string, extension: string): string =>
  extension === '' ? name : `${name.slice(0, MAX_STEM).toWellFormed()}${extension}`;
const MAX_STEM = 200;

const COLUMNS = sql`n, kind, title, at, changed_at as "changedAt", parts, flags`;

async function readVersions(
  { sql: db, tenant }: TenantTx,
  items: Plan['items'],
): Promise<Map<string, Row>> {
  const { rows } = await sql<Row & { readonly object: number }>`
    select object_n as object, ${COLUMNS} from item
    where tenant_id = ${tenant} and (object_n, n) in (${sql.join(items.map(({ object, item }) => sql`(${object}::bigint, ${item}::bigint)`))})`.execute(
    db,
  );
  return new Map(rows.map((row) => [`${row.object}.${row.n}`, row]));
}

async function readFolder(
  { sql: db, tenant }: TenantTx,
  { object, point, key }: Plan['folders'][number],
  after: Row | null,
): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from item
    where tenant_id = ${tenant} and object_n = ${object} and folder_key = ${key}
      and from_point <= ${point} and (to_point is null or to_point >= ${point})
      and ${after === null ? sql`true` : sql`(at, n) < (${after.at}::bigint, ${after.n}::bigint)`}
    order by at desc, n desc limit ${BATCH_ROWS}`.execute(db);
  return rows;
}

/** As `prepared_part.entries` stores them. */
const MailSchema = v.object({
  folder: v.array(v.string()),
  subject: v.string(),
  // Lists that were made before have mails alone.
  kind: v.optional(v.picklist(MAILBOX_KINDS), 'mail'),
  state: v.object({
    receivedAt: v.number(),
    isRead: v.boolean(),
    isDraft: v.boolean(),
    isFlagged: v.boolean(),
    isAnswered: v.optional(v.boolean()),
    importance: v.nullable(v.picklist(['low', 'normal', 'high'])),
    categories: v.array(v.string()),
  }),
});
const EntriesSchema = v.array(
  v.tuple([
    v.string(),
    v.number(),
    v.number(),
    v.number(),
    v.array(v.string()),
    v.nullish(MailSchema),
  ]),
);
export const encodeEntries = (entries: readonly DownloadEntry[]): string =>
  JSON.stringify(
    entries.map(({ name, bytes, crc, modifiedAt, blobs, mail }) => [
      name,
      bytes,
      crc,
      modifiedAt,
      blobs,
      mail ?? null,
    ]),
  );
export const decodeEntries = (text: string): DownloadEntry[] =>
  v.parse(EntriesSchema, JSON.parse(text)).map(([name, bytes, crc, modifiedAt, blobs, mail]) => ({
    name,
    bytes,
    crc,
    modifiedAt,
    blobs,
    ...(mail && { mail }),
  }));
