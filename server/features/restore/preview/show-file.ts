import type { OutputOf } from '#contract/calls.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { DocumentReader } from '#server/engine/public/documents.ts';
import { releaseSlotDuring } from '#server/platform/http/concurrency.ts';
import { findFileFormat } from './file-format.ts';
import { filePreviewMessages as t } from './files.messages.en.ts';
import type { MailBody } from './read-mail.ts';

export interface ReadFile extends Omit<OutputOf<'createFilePreview'>, 'url'> {
  readonly body: MailBody;
}

const BUSY_MS = 2_000;

/** Returns what of a file is shown, or why nothing is. Documents are read in a thread (G67). */
export async function showFile(
  documents: DocumentReader,
  content: Uint8Array,
): Promise<Result<ReadFile>> {
  const bytes = content.byteLength;
  if (bytes === 0) return failed({ kind: 'conflict', message: t.empty });
  const found = findFileFormat(content);
  if (found === null) return failed({ kind: 'conflict', message: t.noPreview });
  const { shows } = found;
  if (shows === 'picture') {
    const base64 = Buffer.from(content.buffer, content.byteOffset, bytes).toString('base64');
    const html = `<img alt="${t.picture}" src="data:image/${found.type};base64,${base64}">`;
    return ok({ shows, bytes, isShortened: false, body: { kind: 'html', content: html } });
  }
  const read = await releaseSlotDuring(() => documents.read(found.format, content));
  if (read.kind !== 'read')
    return read.kind === 'busy'
      ? failed({ kind: 'busy', message: t.busy, retryAfterMs: BUSY_MS })
      : failed({ kind: 'conflict', message: shows === 'text' ? t.noPreview : t.unreadable });
  const { text, isShortened } = read.value;
  if (text.trim() === '')
    return failed({ kind: 'conflict', message: shows === 'text' ? t.noPreview : t.noText });
  return ok({ shows, bytes, isShortened, body: { kind: 'text', content: text } });
}
