import type { EngineScope } from '#contract/engine/engine.ts';
import type { Bytes, ExplorerId, NodeId } from '#contract/ids.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { ContentError, type EmailAddress } from '#server/engine/public/content.ts';
import { MAX_CONTENT_BYTES } from '#server/engine/public/documents.ts';
import { releaseSlotDuring } from '#server/platform/http/concurrency.ts';
import { getAnswer } from '../../backup/engine-calls.ts';
import type { EngineAt } from '../scope.ts';
import { filePreviewMessages as fileTexts } from './files.messages.en.ts';
import { MAX_PREVIEW_BYTES } from './mail-reader.ts';
import { previewMessages as t } from './messages.en.ts';
import type { MailPreviews } from './previews.ts';
import { getEventFile, showOutlookItem } from './outlook-item.ts';
import { toMime } from './html-mime.ts';
import type { ReadMail } from './read-mail.ts';
import { showFile } from './show-file.ts';

/** The mail of a preview. */
export interface PreviewedMail {
  readonly explorer: ExplorerId;
  readonly node: NodeId;
  /** The mailbox or team that it must belong to. */
  readonly within?: NodeId;
  /** Of an attachment. */
  readonly attachment?: readonly number[] | undefined;
}

const BUSY_MS = 2_000;

/** Reads a mail from its backup (the engine records that) and prepares it for a person. */
export async function readPreviewedMail(
  previews: MailPreviews,
  { engine, scope }: EngineAt,
  mail: PreviewedMail,
): Promise<Result<ReadMail>> {
  const { attachment } = mail;
  const read = (bytes: Uint8Array<ArrayBuffer>): Promise<Result<ReadMail>> =>
    attachment === undefined
      ? readCleanMail(previews, bytes)
      : readAttached(previews, bytes, attachment);
  const mime = await loadPart(engine, scope, mail, 'mime');
  if (mime.ok) return read(mime.value);
  if (mime.failure.kind !== 'not-found') return mime;
  const msg = await loadPart(engine, scope, mail, 'msg');
  if (msg.ok) return read(msg.value);
  const isOther = msg.failure.kind === 'not-found';
  return isOther ? readOutlookItem(previews, { engine, scope }, mail) : msg;
}

/** RES-61: an event, contact or task as a page, as clean as a mail. */
async function readOutlookItem(
  previews: MailPreviews,
  { engine, scope }: Pick<EngineAt, 'engine' | 'scope'>,
  item: PreviewedMail,
): Promise<Result<ReadMail>> {
  const json = await loadPart(engine, scope, item, 'json');
  if (!json.ok) return json;
  const { attachment } = item;
  if (attachment !== undefined) {
    const file =
      attachment.length > 1 ? null : getEventFile(parseJson(json.value), attachment[0] ?? 0);
    return file === null
      ? failed({ kind: 'not-found', message: t.noAttachment })
      : showAttachedFile(previews, '', file);
  }
  const shown = showOutlookItem(parseJson(json.value));
  if (shown === null) return failed({ kind: 'conflict', message: t.unreadable });
  const read = await readCleanMail(previews, toMime(shown.html));
  if (!read.ok) return read;
  const toPerson = ({ name, address }: EmailAddress) => ({
    name: (name ?? '').slice(0, MAX_CHARS),
    address: (address ?? '').slice(0, MAX_CHARS),
  });
  return ok({
    ...read.value,
    subject: shown.title.slice(0, MAX_CHARS),
    from: shown.from === null ? null : toPerson(shown.from),
    to: shown.to.slice(0, MAX_PEOPLE).map(toPerson),
    sentAt: shown.at,
    attachments: shown.attachments.slice(0, MAX_PEOPLE),
  });
}
const MAX_CHARS = 1_000;
const MAX_PEOPLE = 500;

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return null;
  }
}

/** Reads an attachment in the threads for it: an attached mail as any other, a file as any other. */
async function readAttached(
  previews: MailPreviews,
  mail: Uint8Array,
  path: readonly number[],
): Promise<Result<ReadMail>> {
  const result = await releaseSlotDuring(() => previews.attachments.read(mail, path));
  if (result.kind !== 'read') return getRefusal(result.kind);
  const read = result.value;
  if (read.kind === 'mail') return ok(read.mail);
  return read.kind === 'file'
    ? showAttachedFile(previews, read.name, read.content)
    : failed({ kind: 'not-found', message: t.noAttachment });
}

async function showAttachedFile(
  { documents }: MailPreviews,
  name: string,
  content: Uint8Array,
): Promise<Result<ReadMail>> {
  if (content.byteLength > MAX_CONTENT_BYTES)
    return failed({ kind: 'conflict', message: fileTexts.tooLarge });
  const shown = await showFile(documents, content);
  if (!shown.ok) return shown;
  const { body, ...file } = shown.value;
  const subject = name.slice(0, MAX_CHARS).toWellFormed();
  const none = { from: null, to: [], cc: [], sentAt: null, attachments: [], heldPictures: 0 };
  return ok({ subject, ...none, file, body });
}

const getRefusal = (kind: 'busy' | 'refused'): Result<never> =>
  kind === 'busy'
    ? failed({ kind: 'busy', message: t.busy, retryAfterMs: BUSY_MS })
    : failed({ kind: 'conflict', message: t.unreadable });

/** Reads a mail (MIME or MSG) in the thread for it, and returns it cleaned. */
export async function readCleanMail(
  { reader }: MailPreviews,
  mime: Uint8Array<ArrayBuffer>,
): Promise<Result<ReadMail>> {
  const result = await releaseSlotDuring(() => reader.read(mime));
  return result.kind === 'read' ? ok(result.value) : getRefusal(result.kind);
}

async function loadPart(
  engine: EngineAt['engine'],
  scope: EngineScope,
  { explorer, node, within }: PreviewedMail,
  as: 'mime' | 'msg' | 'json',
): Promise<Result<Uint8Array<ArrayBuffer>>> {
  const content = getAnswer(
    await engine.readContent(scope, {
      explorer,
      node,
      ...(within !== undefined && { within }),
      as,
    }),
  );
  if (!content.ok) return content;
  const { bytes, stream } = content.value;
  if (bytes > MAX_PREVIEW_BYTES) return failed({ kind: 'conflict', message: t.tooLarge });
  try {
    return ok(await collect(stream, bytes));
  } catch (error) {
    if (error instanceof ContentError) return getAnswer({ ok: false, error: error.error });
    throw error;
  }
}

/** Reads a stream of known length into memory. */
export async function collect(
  stream: AsyncIterable<Uint8Array>,
  bytes: Bytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const all = new Uint8Array(bytes);
  let at = 0;
  for await (const piece of stream) {
    all.set(piece, at);
    at += piece.byteLength;
  }
  return all.subarray(0, at);
}
