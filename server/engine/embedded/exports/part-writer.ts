import type { Bytes } from '#contract/ids.ts';
import type { DownloadEntry } from '../downloads/entries.ts';
import type { MailContent } from '../mail/mail-content.ts';
import type { PstMessage } from '../pst/message.ts';

/** A file that is written at any place, such as a part of a download. */
export interface PartFile {
  write(bytes: Uint8Array, at: Bytes): Promise<void>;
  /** Removes what follows. */
  truncate(bytes: Bytes): Promise<void>;
}

/** Writes items of a download to a file. */
export interface PartWriter {
  /**
   * @throws ContentError if the content can't be read. The item is not in the file then, and others
   *   can follow.
   */
  add(entry: DownloadEntry, content: ItemContent): Promise<void>;
  /** How large the file would be now, about. */
  readonly bytes: Bytes;
  finish(): Promise<void>;
}
export interface ItemContent {
  /** Reads all of it, piece by piece. */
  stream(): AsyncIterable<Uint8Array>;
  /** Returns all of it at once. */
  collect(): Promise<Uint8Array<ArrayBuffer>>;
  /** Reads it as a mail. Null: it can't be parsed. */
  parse(): Promise<MailContent | null>;
  /** Reads it as an event, contact or task. Null: it can't be parsed. */
  parseItem(): Promise<PstMessage | null>;
}

/** `msg`: a single mail. `msg-zip`: several. */
export type PartFormat = 'zip' | 'file' | 'pst' | 'mbox' | 'msg' | 'msg-zip';
