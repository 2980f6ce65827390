import type { MailContent } from '../../mail/mail-content.ts';
import { parseMime } from '../../mail/read-mime.ts';
import { completeChange, getChange, getParts } from '../../sources/outlook/items.ts';
import type { ItemChange } from '../../types.ts';
import type { PartRole } from '#contract/engine/engine.ts';
import type { ImportContent } from '#contract/engine/imports.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { type ArchivedState, type ArchiveFile, DamagedMailArchive } from './archive.ts';
import type { FailReason, LoadedEntry, SkipReason } from './archive.ts';
import { findArchiveReader } from './detect.ts';
import type { LeftOut } from './pst-items/shared-fields.ts';
import { readZip, readZipFiles } from './zip.ts';

/** What is known of an entry before it is read. */
export interface EntryPlace {
  readonly path: readonly string[];
  readonly name: string;
  readonly position: number;
  /** What the source says its folder is for; null: nothing special. Without it, the name decides. */
  readonly wellKnown?: string | null;
  /** Where a source that changes continues after this entry. */
  readonly mark?: EntryMark;
}
/** States that come together. */
export const MAX_STATES = 40;
export interface EntryMark {
  readonly scope: string;
  readonly cursor: string;
}
/** A mail that was read before, without its content. */
export interface MailNow {
  readonly state: ArchivedState;
  readonly messageId: string | null;
  readonly bytes: Bytes;
}
/** What the index stores of a mail. */
export interface MailSummary {
  readonly title: string;
  readonly people: string;
  readonly sentAt: number | null;
  readonly messageId: string | null;
  readonly attachments: number;
  readonly importance: MailContent['importance'];
}
export interface OutlookPart {
  readonly as: PartRole;
  readonly content: Uint8Array;
}
export type ArchiveStep =
  /** It is read next. What breaks the reader now is this entry. */
  | ({ readonly kind: 'reading' } & EntryPlace)
  | {
      readonly kind: 'mail';
      readonly mime: Uint8Array<ArrayBuffer>;
      readonly state: ArchivedState;
      readonly summary: MailSummary;
    }
  | Extract<LoadedEntry, { kind: 'file' }>
  /** An event, contact or task, with what of it was left out. */
  | {
      readonly kind: 'outlook';
      readonly item: ItemChange;
      readonly parts: readonly OutlookPart[];
      readonly left: readonly LeftOut[];
      readonly isStandard: boolean;
    }
  /** A part of a file that is not read as a whole. */
  | {
      readonly kind: 'part';
      readonly content: Uint8Array<ArrayBuffer>;
      readonly modifiedAt: Ms | null;
      readonly version?: string;
    }
  /** All parts of the file are there. */
  | { readonly kind: 'whole' }
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  | { readonly kind: 'failed'; readonly reason: FailReason }
  /** A file in the version that the drive has. */
  | { readonly kind: 'known' }
  /** In which state mails are now that were read before, and the place that this covers. */
  | {
      readonly kind: 'states';
      readonly path: readonly string[];
      readonly states: readonly MailNow[];
      readonly mark: EntryMark | null;
    }
  /** How many entries follow, at most. */
  | { readonly kind: 'listed'; readonly entries: number }
  /** Nothing more can be read. */
  | { readonly kind: 'damaged' | 'unknown' }
  | CutStep;
/** The connection to a server failed, or ended early. */
export interface CutStep {
  readonly kind: 'cut';
  readonly code: string;
  readonly message: string;
}

/** Reads an archive of mails, or of files, in its order, without its first entries. */
export async function* readMailArchive(
  file: ArchiveFile,
  skippedEntries: number,
  content: ImportContent = 'mail',
): AsyncGenerator<ArchiveStep, void> {
  const found = await findArchiveReader(file);
  const read = content === 'mail' ? found : found === readZip ? readZipFiles : null;
  if (read === null) {
    yield { kind: 'unknown' };
    return;
  }
  let n = 0;
  try {
    for await (const { path, name, position, load } of read(file)) {
      if (++n <= skippedEntries) continue;
      yield { kind: 'reading', path, name, position };
      const loaded = await load().catch(() => UNREADABLE);
      if (loaded.kind === 'large') yield* readParts(loaded);
      else if (loaded.kind === 'outlook') yield toOutlookStep(loaded);
      else yield loaded.kind === 'mail' ? await withSummary(loaded) : loaded;
    }
  } catch (error) {
    if (!(error instanceof DamagedMailArchive) && !(error instanceof RangeError)) throw error;
    yield { kind: 'damaged' };
  }
}

const UNREADABLE = { kind: 'failed', reason: 'unreadable' } as const;

/** The item as it is stored, without its place. */
function toOutlookStep({
  item,
  ...read
}: Extract<LoadedEntry, { kind: 'outlook' }>): Extract<ArchiveStep, { kind: 'outlook' }> {
  const change = getChange(item, '');
  return {
    ...read,
    item: completeChange({ ...change, changeKey: item.value.id }, item),
    parts: getParts(item).map(({ as, content }) => {
      if (!(content instanceof Uint8Array)) throw new Error('Items are read as a whole.');
      return { as, content };
    }),
  };
}

async function* readParts({
  parts,
  kind: _kind,
  ...file
}: Extract<LoadedEntry, { kind: 'large' }>): AsyncGenerator<ArchiveStep, void> {
  try {
    for await (const content of parts) yield { kind: 'part', content, ...file };
  } catch {
    yield { kind: 'failed', reason: 'damaged' };
    return;
  }
  yield { kind: 'whole' };
}

export async function withSummary(loaded: {
  readonly mime: Uint8Array<ArrayBuffer>;
  readonly state: ArchivedState;
}): Promise<ArchiveStep> {
  // One that the parser doesn't understand is imported all the same, without a subject.
  const mail = await parseMime(getSummaryPart(loaded.mime)).catch(() => null);
  return { kind: 'mail', mime: loaded.mime, state: loaded.state, summary: summarize(mail) };
}

/**
 * Returns what the summary needs of a mail: its headers, and the rest only if that may have
 * attachments. Parsing the text of a mail takes most of the time.
 */
function getSummaryPart(mime: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(mime.buffer, mime.byteOffset, mime.byteLength);
  const ends = ['\n\n', '\n\r\n'].map((end) => bytes.indexOf(end)).filter((at) => at >= 0);
  if (ends.length === 0) return mime;
  const head = mime.subarray(0, Math.min(...ends) + 1);
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1');
  const type = /^content-type:\s*([^\s;]*)/im.exec(text)?.[1] ?? 'text/plain';
  const isText = /^(?:text\/(?:plain|html)|multipart\/alternative)$/i.test(type);
  return isText && !/^content-disposition:/im.test(text) ? head : mime;
}

function summarize(mail: MailContent | null): MailSummary {
  const people = mail === null ? [] : [...(mail.from ? [mail.from] : []), ...mail.recipients];
  return {
    title: mail?.subject ?? '',
    people: people
      .map(({ name, address }) => (name === '' ? address : `${name} <${address}>`))
      .join(', '),
    sentAt: mail?.sentAt ?? null,
    messageId: mail?.messageId ?? null,
    attachments: mail?.attachments.filter(({ isInline }) => !isInline).length ?? 0,
    importance: mail?.importance ?? 'normal',
  };
}
