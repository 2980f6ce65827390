/** The thread that reads the words of contents. What it gets comes from strangers (G67). */
import { parentPort } from 'node:worker_threads';
import { extractTexts } from './extract-text.ts';
import { TEXT_FORMATS } from './text-format.ts';
import { makeWordList } from './words.ts';

parentPort?.on('message', (bytes: Uint8Array) => void answer(bytes));

/** The first byte is the format. */
async function answer(bytes: Uint8Array): Promise<void> {
  parentPort?.postMessage(await read(bytes).catch(() => null), []);
}

async function read(bytes: Uint8Array): Promise<string | null> {
  const format = TEXT_FORMATS[bytes[0] ?? TEXT_FORMATS.length];
  if (format === undefined) return null;
  const words = makeWordList();
  for await (const text of extractTexts(format, bytes.subarray(1))) if (!words.add(text)) break;
  return words.text;
}
