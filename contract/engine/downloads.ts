import type { Bytes, DownloadId, ExplorerId, Ms, NodeId } from '../ids.ts';

export interface DownloadInput {
  readonly explorer: ExplorerId;
  readonly nodes: readonly NodeId[];
  /** The object that the nodes must belong to. */
  readonly within?: NodeId;
  /** `mails`: only items with a mail, and what a mailbox stores beside them. */
  readonly holds?: 'everything' | 'mails' | 'mailbox-items';
  /** Null: of any size. */
  readonly maxBytes: Bytes | null;
  /** Until when it can be read. */
  readonly expiresAt: Ms;
}
/** `too-large`: more than `maxBytes`, and nothing was prepared. */
export type PreparedDownload =
  | { readonly kind: 'too-large' }
  | {
      readonly kind: 'prepared';
      readonly id: DownloadId;
      /** Of a single item; null: it is a ZIP archive. */
      readonly fileName: string | null;
      readonly bytes: Bytes;
      readonly items: number;
      /** Items that it lacks, because their content could not be backed up. */
      readonly missing: number;
      /** Names the content: two downloads with the same one have the same bytes. */
      readonly hash: string;
    };
/** First byte, and the byte after the last one. */
export interface DownloadRange {
  readonly download: DownloadId;
  readonly from: Bytes;
  readonly to: Bytes;
}
