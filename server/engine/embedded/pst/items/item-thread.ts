/** The thread that reads events, contacts and tasks for PST files (G67). */
import { parentPort } from 'node:worker_threads';
import { parseOutlookItem } from '../../sources/outlook/parse-item.ts';
import type { PstMessage } from '../message.ts';
import { getItemMessage } from './item-message.ts';

parentPort?.on('message', (json: Uint8Array) => {
  parentPort?.postMessage(read(json), []);
});

function read(json: Uint8Array): PstMessage | null {
  try {
    const item = parseOutlookItem(JSON.parse(Buffer.from(json).toString('utf8')));
    return item === null ? null : getItemMessage(item);
  } catch {
    return null;
  }
}
