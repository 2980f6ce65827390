import type { Bytes } from '#contract/ids.ts';

/** What a file is by its first bytes. `other`: none of these. */
export type FileKind = 'zip' | 'pst' | 'msg' | 'other';

/** The end of a ZIP archive may have a comment of 65,535 bytes after its 22, and 20 before (APPNOTE). */
const TAIL_BYTES: Bytes = 65_535 + 22 + 20;
const HEAD_BYTES: Bytes = 512;

/**
 * Looks at a file while it passes, without storing it: whether it has its end. The server names no size
 * of what it packs, and its answer can end early without an error.
 */
export class FileCheck {
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #bytes: Bytes = 0;

  get bytes(): Bytes {
    return this.#bytes;
  }
  add(piece: Uint8Array): void {
    if (this.#head.length < HEAD_BYTES)
      this.#head = Buffer.concat([this.#head, piece.subarray(0, HEAD_BYTES - this.#head.length)]);
    // Joined only now and then: a piece is small beside the tail.
    const rest = Buffer.concat([
      this.#tail,
      piece.subarray(Math.max(0, piece.length - TAIL_BYTES)),
    ]);
    this.#tail =
      rest.length > TAIL_BYTES ? Buffer.from(rest.subarray(rest.length - TAIL_BYTES)) : rest;
    this.#bytes += piece.length;
  }
  get kind(): FileKind {
    const head = this.#head;
    if (ZIP_STARTS.some((start) => starts(head, start))) return 'zip';
    if (starts(head, PST_START)) return 'pst';
    return starts(head, MSG_START) ? 'msg' : 'other';
  }
  /** Whether the file ends where its own directory or header says. */
  get isWhole(): boolean {
    switch (this.kind) {
      case 'zip':
        return hasZipEnd(this.#tail, this.#bytes);
      case 'pst':
        return hasPstEnd(this.#head, this.#bytes);
      case 'msg':
        return hasMsgEnd(this.#head, this.#bytes);
      default:
        return true;
    }
  }
}

const ZIP_STARTS = [Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('PK\x05\x06', 'latin1')];
const PST_START = Buffer.from('!BDN', 'latin1');
const MSG_START = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const starts = (head: Buffer, with_: Buffer): boolean =>
  head.subarray(0, with_.length).equals(with_);

const ZIP_END = Buffer.from('PK\x05\x06', 'latin1');
const ZIP64_LOCATOR = Buffer.from('PK\x06\x07', 'latin1');
const IN_ZIP64 = 0xffff_ffff;

/** The end of the central directory is the last of the file, and the directory right before it. */
function hasZipEnd(tail: Buffer, bytes: Bytes): boolean {
  for (let at = tail.lastIndexOf(ZIP_END); at >= 0; at = tail.lastIndexOf(ZIP_END, at - 1)) {
    if (at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) === tail.length) {
      const [size, start] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
      const place = bytes - tail.length + at;
      if (size === IN_ZIP64 || start === IN_ZIP64)
        return at >= 20 && tail.subarray(at - 20, at - 16).equals(ZIP64_LOCATOR);
      return start + size <= place;
    }
    if (at === 0) break;
  }
  return false;
}

/** [MS-PST] 2.2.2.6: the header says how long the file is. */
function hasPstEnd(head: Buffer, bytes: Bytes): boolean {
  if (head.length < HEAD_BYTES) return false;
  const isUnicode = head.readUInt16LE(10) >= 23;
  const end = isUnicode ? Number(head.readBigUInt64LE(0xb8)) : head.readUInt32LE(0xa8);
  return bytes >= end;
}

/** [MS-CFB] 2.2: the sectors that the header names are in the file. */
function hasMsgEnd(head: Buffer, bytes: Bytes): boolean {
  if (head.length < HEAD_BYTES) return false;
  const sector = 2 ** head.readUInt16LE(30);
  const count = Math.min(head.readUInt32LE(44), 109);
  const named = [
    head.readUInt32LE(48),
    ...Array.from({ length: count }, (_, n) => head.readUInt32LE(76 + 4 * n)),
  ];
  return named.every((at) => at > LAST_SECTOR || (at + 1) * sector < bytes);
}
/** Larger numbers have other meanings. */
const LAST_SECTOR = 0xffff_fffa;
