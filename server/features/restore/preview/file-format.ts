import type { TextFormat } from '#server/engine/public/documents.ts';

/** What of a file can be shown. `type`: of a picture that browsers draw and that runs nothing. */
export type FileFormat =
  | { readonly shows: 'picture'; readonly type: 'png' | 'jpeg' | 'gif' | 'webp' }
  | { readonly shows: 'text' | 'document'; readonly format: TextFormat };

const PICTURES = [
  ['png', '\x89PNG\r\n\x1a\n'],
  ['jpeg', '\xff\xd8\xff'],
  ['gif', 'GIF87a'],
  ['gif', 'GIF89a'],
] as const;
const ZIP = 'PK\x03\x04';
/** Files that Word, Excel and PowerPoint documents have. An archive doesn't compress their names. */
const OFFICE_FILES = ['word/document.xml', 'xl/worksheets/', 'ppt/slides/'];
/** The name of the first file of an OpenDocument archive (ISO/IEC 26300, part 2). */
const OPEN_DOCUMENT = 'mimetype';
const FIRST_NAME_AT = 30;
const COMPOUND = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
/** ISO 32000 allows some bytes before it. */
const PDF = '%PDF-';
const PDF_BYTES = 1_024;
const UTF_16 = ['\xff\xfe', '\xfe\xff'];
/** Of the control characters, only these are in texts: tab, line and page ends, and escapes. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([9, 10, 12, 13, 27]);
const SAMPLE_BYTES = 65_536;

/**
 * Decides by the bytes of a file, never by its name. Null: nothing of it can be shown. Pages, drawings
 * and programs are shown as the text that they are.
 */
export function findFileFormat(bytes: Uint8Array): FileFormat | null {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sample = all.subarray(0, SAMPLE_BYTES);
  const head = sample.toString('latin1', 0, PDF_BYTES);
  const picture = PICTURES.find(([, start]) => head.startsWith(start));
  if (picture !== undefined) return { shows: 'picture', type: picture[0] };
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8))
    return { shows: 'picture', type: 'webp' };
  if (head.startsWith(ZIP)) {
    if (head.startsWith(OPEN_DOCUMENT, FIRST_NAME_AT))
      return { shows: 'document', format: 'open-document' };
    return OFFICE_FILES.some((name) => all.includes(name))
      ? { shows: 'document', format: 'office' }
      : null;
  }
  if (head.startsWith(COMPOUND)) return { shows: 'document', format: 'binary-office' };
  if (head.includes(PDF)) return { shows: 'document', format: 'pdf' };
  const isText =
    UTF_16.some((mark) => head.startsWith(mark)) ||
    sample.every((byte) => byte >= 32 || TEXT_CONTROLS.has(byte));
  return isText ? { shows: 'text', format: 'plain' } : null;
}
