import type { Bytes, Ms } from '#contract/ids.ts';
import type { OutlookItem } from '../../sources/outlook/read-item.ts';
import type { LeftOut } from './pst-items/shared-fields.ts';

/** The bytes of an archive. What they say comes from strangers (G66, G67). */
export interface ArchiveFile {
  /** Its name without folders and extension: the folder of what is in none. */
  readonly stem: string;
  /** Where it is on the disk; null: only in memory. */
  readonly filePath: string | null;
  readonly bytes: Bytes;
  /** Returns fewer bytes only at the end. */
  read(from: Bytes, bytes: Bytes): Promise<Buffer>;
}

/** Something in an archive that may be a mail, or a file. */
export interface ArchiveEntry {
  /** Folders from the top; at least one, if it is a mail. */
  readonly path: readonly string[];
  /** What it is called if it can't be read. */
  readonly name: string;
  /** How far into the archive it is. */
  readonly position: Bytes;
  /** Reads it. Listing an archive must not. */
  readonly load: () => Promise<LoadedEntry>;
}
export type LoadedEntry =
  | {
      readonly kind: 'mail';
      readonly mime: Uint8Array<ArrayBuffer>;
      readonly state: ArchivedState;
    }
  | {
      readonly kind: 'file';
      readonly content: Uint8Array<ArrayBuffer>;
      readonly modifiedAt: Ms | null;
      /** What its source calls its version. Without one, its content and date are its version. */
      readonly version?: string;
    }
  | {
      readonly kind: 'outlook';
      readonly item: OutlookItem;
      readonly left: readonly LeftOut[];
      /** It is in the calendar, contacts or tasks that every mailbox has. */
      readonly isStandard: boolean;
    }
  /** A file that is not read as a whole. Its parts throw if it is damaged. */
  | {
      readonly kind: 'large';
      readonly parts: AsyncIterable<Uint8Array<ArrayBuffer>>;
      readonly modifiedAt: Ms | null;
      readonly version?: string;
    }
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  | { readonly kind: 'failed'; readonly reason: FailReason };

/** What an archive says about a mail besides its text. */
export interface ArchivedState {
  readonly receivedAt: Ms | null;
  readonly isRead: boolean;
  readonly isFlagged: boolean;
  readonly isAnswered?: boolean;
  readonly importance?: 'low' | 'normal' | 'high';
  readonly categories?: readonly string[];
}

/**
 * `other`: no mail. `other-item`: of a kind that Microsoft 365 has no interface for, such as an entry of
 * a journal. `packed`: an archive in the archive.
 */
export type SkipReason =
  | 'other'
  | 'other-item'
  | 'encrypted'
  | 'too-large'
  | 'large-file'
  | 'packed';
export type FailReason = 'damaged' | 'unreadable';

/** Lists an archive from its beginning. */
export type ArchiveReader = (file: ArchiveFile) => AsyncIterable<ArchiveEntry>;

/** The rest of the archive can't be read from here. */
export class DamagedMailArchive extends Error {
  override readonly name = 'DamagedMailArchive';
}

/** Exchange's limit for a mail, with the overhead of its encoding. */
export const MAX_MAIL_BYTES: Bytes = 220 * 1_048_576;

/** OneDrive's limit for a file. */
export const MAX_FILE_BYTES: Bytes = 250 * 1_073_741_824;
/** Larger files are read in parts. */
export const LARGE_FILE_BYTES: Bytes = 32 * 1_048_576;
/** Of the parts of a large file. */
export const PART_BYTES: Bytes = 4 * 1_048_576;

/** In which state a mail is of which its archive says nothing. */
export const PLAIN_STATE: ArchivedState = { receivedAt: null, isRead: true, isFlagged: false };
