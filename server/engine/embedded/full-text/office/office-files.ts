import type { Bytes } from '#contract/ids.ts';
import type { ArchiveEntry } from '../../imports/archives/archive.ts';
import { readZipFiles } from '../../imports/archives/zip.ts';

const MAX_FILE_BYTES: Bytes = 32 << 20;
/** Unpacked, of all files together. */
const MAX_TEXT_BYTES: Bytes = 64 << 20;
/** A document has fewer, even one of many sheets or slides. */
const MAX_FILES = 10_000;

/** The files of a document that may have its text. */
export interface OfficeFiles {
  /** In the order of the archive. */
  readonly paths: readonly string[];
  /** Returns the XML of a file; null: it isn't there, can't be read, or is too much. */
  load(path: string): Promise<string | null>;
}

/**
 * Opens a document, with the files whose paths match. What they grow to is limited (G66).
 *
 * @throws if it is no archive, or one without such files that is damaged.
 */
export async function openOfficeFiles(
  bytes: Uint8Array,
  patterns: readonly RegExp[],
): Promise<OfficeFiles> {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const file = {
    stem: '',
    filePath: null,
    bytes: content.length,
    read: (from: Bytes, length: Bytes) => Promise.resolve(content.subarray(from, from + length)),
  };
  const found = new Map<string, ArchiveEntry>();
  try {
    for await (const entry of readZipFiles(file, MAX_FILE_BYTES)) {
      const path = [...entry.path, entry.name].join('/');
      if (patterns.some((pattern) => pattern.test(path))) found.set(path, entry);
      if (found.size >= MAX_FILES) break;
    }
  } catch (error) {
    // Files that were listed before the archive ends or grows too much are read.
    if (found.size === 0) throw error;
  }
  let left = MAX_TEXT_BYTES;
  return {
    paths: [...found.keys()],
    async load(path) {
      const loaded = left < 0 ? undefined : await found.get(path)?.load();
      if (loaded?.kind !== 'file') return null;
      left -= loaded.content.length;
      return left < 0 ? null : decodeXml(loaded.content);
    },
  };
}

/** ISO/IEC 29500 allows UTF-8 and UTF-16. */
function decodeXml(bytes: Uint8Array): string {
  const isWide = bytes[0] === 0xff || bytes[0] === 0xfe;
  return new TextDecoder(isWide ? (bytes[0] === 0xfe ? 'utf-16be' : 'utf-16le') : 'utf-8').decode(
    bytes,
  );
}
