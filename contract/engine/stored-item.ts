import type { Bytes } from '../ids.ts';
import type { PartRole } from './engine.ts';

/** Properties of an item version in the index of the embedded engine. */
export interface ItemFlags {
  readonly read?: boolean;
  readonly draft?: boolean;
  readonly flagged?: boolean;
  readonly answered?: boolean;
  readonly attachments?: number;
  readonly importance?: 'low' | 'high';
  readonly categories?: readonly string[];
  readonly messageId?: string;
  /** Of an earlier version of a file: its number, as the cloud names it. */
  readonly version?: string;
  /** Of a file: the number of the version that it has, if it was listed with the earlier ones. */
  readonly presentVersion?: string;
  /** Replies to a post. */
  readonly replies?: number;
  /** The cloud's hash of the file, with its algorithm. */
  readonly hash?: string;
  /** The first values of a list's row, by the names of their columns. */
  readonly fields?: Readonly<Record<string, string>>;
}
/** A part of an item in the repository: `blobs` are ids of data blobs in their order. */
export interface StoredPart {
  readonly as: PartRole;
  /** Which one of several parts with this role. */
  readonly name?: string;
  readonly bytes: Bytes;
  /** CRC-32 of the part, for ZIP files. */
  readonly crc: number;
  readonly blobs: readonly string[];
}
