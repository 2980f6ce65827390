import { htmlToText } from '../formats/html-text.ts';
import { getTaskText } from '../formats/icalendar.ts';
import type { MailContent } from '../mail/mail-content.ts';
import { parseMime } from '../mail/read-mime.ts';
import { parseOutlookItem } from '../sources/outlook/parse-item.ts';
import { readBinaryOfficeText } from './binary-office/binary-office-text.ts';
import { decodeText } from './decode-text.ts';
import { readOfficeText, readOpenDocumentText } from './office/office-text.ts';
import { readPdfText } from './pdf-text.ts';
import { getFileFormat, type TextFormat } from './text-format.ts';

/** Of a long text, the first letters are enough for its words. */
const MAX_CHARS = 4 << 20;
const MAX_DEPTH = 8;

/**
 * Yields the texts of a content. `isForPeople`: without the words that a line divides, which follow
 * their line for searches.
 *
 * @throws if it isn't what it should be.
 */
export async function* extractTexts(
  format: TextFormat,
  bytes: Uint8Array,
  {
    depth = 0,
    isForPeople = false,
  }: { readonly depth?: number; readonly isForPeople?: boolean } = {},
): AsyncGenerator<string, void> {
  switch (format) {
    case 'mail':
      yield* readMail(await parseMime(bytes), depth);
      return;
    case 'html':
      yield htmlToText(decodeText(bytes.subarray(0, MAX_CHARS), true));
      return;
    case 'plain':
      yield decodeText(bytes.subarray(0, MAX_CHARS), false);
      return;
    case 'office':
      yield* readOfficeText(bytes, isForPeople);
      return;
    case 'binary-office':
      yield* readBinaryOfficeText(bytes, isForPeople);
      return;
    case 'open-document':
      yield* readOpenDocumentText(bytes);
      return;
    case 'pdf':
      yield* readPdfText(bytes, isForPeople);
      return;
    case 'outlook':
      yield* readOutlookItem(readJson(bytes));
      return;
    case 'post':
      yield* readThread(readJson(bytes));
      return;
    case 'row':
      yield* listStrings(getField(readJson(bytes), 'fields'), 0);
  }
}

async function* readMail(mail: MailContent, depth: number): AsyncGenerator<string, void> {
  const { text, html, attachments } = mail;
  if (text !== null) yield text.slice(0, MAX_CHARS);
  if (html !== null) yield htmlToText(html.slice(0, MAX_CHARS));
  if (depth >= MAX_DEPTH) return;
  for (const file of attachments) {
    yield file.name;
    if (file.kind === 'message') {
      yield file.message.subject;
      yield* readMail(file.message, depth + 1);
      continue;
    }
    const format = getFileFormat(file.name);
    if (format !== null) yield* readAttachment(format, file.bytes, depth + 1);
  }
}

/** One that can't be read costs only its own words. */
async function* readAttachment(
  format: TextFormat,
  bytes: Uint8Array,
  depth: number,
): AsyncGenerator<string, void> {
  try {
    yield* extractTexts(format, bytes, { depth });
  } catch {
    // Its name was found.
  }
}

function* readOutlookItem(json: unknown): Generator<string, void> {
  const item = parseOutlookItem(json);
  if (item === null) return;
  switch (item.kind) {
    case 'event': {
      const { value } = item;
      for (const part of [value, ...(value.exceptionOccurrences ?? [])]) {
        yield part.subject ?? '';
        yield part.location?.displayName ?? '';
        yield readBody(part.body);
      }
      for (const { name } of value.attachments ?? []) yield name ?? '';
      return;
    }
    case 'task':
      yield getTaskText(item.value);
      return;
    case 'contact': {
      const { photo: _, ...value } = item.value;
      yield* listStrings(value, 0);
    }
  }
}

const readBody = (
  body:
    | {
        readonly contentType?: string | null | undefined;
        readonly content?: string | null | undefined;
      }
    | null
    | undefined,
): string => {
  const content = (body?.content ?? '').slice(0, MAX_CHARS);
  return body?.contentType?.toLowerCase() === 'html' ? htmlToText(content) : content;
};

function* readThread(json: unknown): Generator<string, void> {
  const replies = getField(json, 'replies');
  for (const message of [getField(json, 'post'), ...(Array.isArray(replies) ? replies : [])]) {
    yield* listStrings(getField(message, 'subject'), 0);
    const content = getField(getField(message, 'body'), 'content');
    if (typeof content === 'string') yield htmlToText(content.slice(0, MAX_CHARS));
  }
}

const readJson = (bytes: Uint8Array): unknown =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));

const getField = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** The texts of any value, without the names of its fields. */
function* listStrings(value: unknown, depth: number): Generator<string, void> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH)
    for (const part of Object.values(value)) yield* listStrings(part, depth + 1);
}
