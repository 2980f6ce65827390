import type { Bytes, DownloadId, ExplorerId, Ms, NodeId } from '../ids.ts';

/** How mails are downloaded: `eml` is for a single one. Files are `zip`, or as they are. */
export type DownloadFormat = 'zip' | 'eml' | 'pst' | 'mbox' | 'msg';

export interface DownloadInput {
  readonly explorer: ExplorerId;
  readonly nodes: readonly NodeId[];
  /** The object that the nodes must belong to. */
  readonly within?: NodeId;
  /** `mails`: only items with a mail, and what a mailbox stores beside them. */
  readonly holds?: 'everything' | 'mails' | 'mailbox-items';
  /** What is asked for. */
  readonly format?: DownloadFormat;
  /** Null: of any size. */
  readonly maxBytes: Bytes | null;
  /** Until when it can be read. */
  readonly expiresAt: Ms;
  /** What it holds may be listed later, so that any number of items is prepared at once. */
  readonly isLater?: boolean;
}
/** `too-large`: more than `maxBytes`, and nothing was prepared. */
export type PreparedDownload =
  | { readonly kind: 'too-large' }
  | {
      readonly kind: 'prepared';
      readonly id: DownloadId;
      /** In which it is made; undefined: as it was asked for. */
      readonly format?: DownloadFormat;
      /** Of a single item; null: it is an archive of several. */
      readonly fileName: string | null;
      /** False: what it holds is listed later; `items` and `bytes` are about what that will find. */
      readonly isListed: boolean;
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
