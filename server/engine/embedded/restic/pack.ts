import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import { SEAL_BYTES } from './seal.ts';
import { failed, ok } from '../../result.ts';
import { resticMessages as t } from './messages.en.ts';

/** Files are data blobs, folders tree blobs. A blob's id is the SHA-256 of its plain bytes, in hex. */
export type BlobType = 'data' | 'tree';
export type BlobId = string;

/** Where a blob is in its pack. */
export interface PackEntry {
  readonly type: BlobType;
  readonly id: BlobId;
  readonly offset: Bytes;
  /** Of the sealed bytes. */
  readonly length: Bytes;
  /** Of the plain bytes if they are compressed, otherwise 0. */
  readonly rawLength: Bytes;
}

// The header at the end of a pack (restic's design document, "Pack Format"): for each blob a type,
// the sealed length, if compressed the plain length, and the id. Then its own sealed length.

const TYPE_CODES: readonly { readonly type: BlobType; readonly isCompressed: boolean }[] = [
  { type: 'data', isCompressed: false },
  { type: 'tree', isCompressed: false },
  { type: 'data', isCompressed: true },
  { type: 'tree', isCompressed: true },
];

export const headerBytes = (entries: readonly PackEntry[]): Bytes =>
  entries.reduce((sum, { rawLength }) => sum + (rawLength === 0 ? 37 : 41), 0);

/** The plain header of blobs in the order in which they are in the pack, without gaps. */
export function encodeHeader(entries: readonly PackEntry[]): Uint8Array {
  const header = Buffer.alloc(headerBytes(entries));
  let at = 0;
  for (const { type, id, length, rawLength } of entries) {
    at = header.writeUInt8((rawLength === 0 ? 0 : 2) + (type === 'tree' ? 1 : 0), at);
    at = header.writeUInt32LE(length, at);
    if (rawLength !== 0) at = header.writeUInt32LE(rawLength, at);
    at += header.write(id, at, 'hex');
  }
  return header;
}

export function decodeHeader(bytes: Uint8Array): EngineResult<PackEntry[]> {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: PackEntry[] = [];
  let offset = 0;
  for (let at = 0; at < header.length;) {
    const code = TYPE_CODES[header[at] ?? TYPE_CODES.length];
    const size = code?.isCompressed === true ? 41 : 37;
    if (code === undefined || at + size > header.length)
      return failed('damaged', t.headerUnreadable);
    const length = header.readUInt32LE(at + 1);
    entries.push({
      type: code.type,
      id: header.toString('hex', at + size - 32, at + size),
      offset,
      length,
      rawLength: code.isCompressed ? header.readUInt32LE(at + 5) : 0,
    });
    offset += length;
    at += size;
  }
  return ok(entries);
}

/** Bytes of a complete pack with these blobs. */
export const packSize = (entries: readonly PackEntry[]): Bytes =>
  entries.reduce((sum, { length }) => sum + length, 0) + headerBytes(entries) + SEAL_BYTES + 4;
