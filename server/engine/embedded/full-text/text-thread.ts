/** The thread that reads the words or the text of contents. What it gets comes from strangers (G67). */
import { parentPort } from 'node:worker_threads';
import { extractTexts } from './extract-text.ts';
import { FOR_READING, TEXT_FORMATS, type TextFormat } from './text-format.ts';
import { makeWordList } from './words.ts';

/** The text of a document, or its beginning. */
export interface DocumentText {
  readonly text: string;
  readonly isShortened: boolean;
}
/** A page shows no more. */
const MAX_SHOWN_CHARS = 1 << 20;

parentPort?.on('message', (bytes: Uint8Array) => void answer(bytes));

/** The first byte is the format, and whether a person reads the text. */
async function answer(bytes: Uint8Array): Promise<void> {
  parentPort?.postMessage(await read(bytes).catch(() => null), []);
}

async function read(bytes: Uint8Array): Promise<string | DocumentText | null> {
  const [head = 0] = bytes;
  const format = TEXT_FORMATS[head & ~FOR_READING];
  if (format === undefined || bytes.length === 0) return null;
  const content = bytes.subarray(1);
  return (head & FOR_READING) === 0 ? readWords(format, content) : readText(format, content);
}

async function readWords(format: TextFormat, content: Uint8Array): Promise<string> {
  const words = makeWordList();
  for await (const text of extractTexts(format, content)) if (!words.add(text)) break;
  return words.text;
}

async function readText(format: TextFormat, content: Uint8Array): Promise<DocumentText> {
  const texts: string[] = [];
  let room = MAX_SHOWN_CHARS;
  for await (const text of extractTexts(format, content, { isForPeople: true })) {
    if (text.trim() === '') continue;
    texts.push(text.slice(0, room));
    room -= text.length;
    if (room < 0) break;
  }
  return { text: clean(texts.join('\n')), isShortened: room < 0 };
}

/** Line ends of any system are one kind, and what isn't printed is left out. */
const clean = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    // eslint-disable-next-line no-control-regex -- control characters are what is left out
    .replaceAll(/[\0-\x08\x0b\x0e-\x1f\x7f]/g, '')
    .toWellFormed();
