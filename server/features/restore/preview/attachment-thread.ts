/**
 * The thread that reads attachments of mails for previews. Its input comes from strangers, as that of
 * the thread that reads mails (G67).
 */
import { parentPort } from 'node:worker_threads';
import { HEAD_BYTES } from './mail-reader.ts';
import { readAttachment, type ReadAttachment } from './read-attachment.ts';

parentPort?.on('message', (message: Uint8Array<ArrayBuffer>) => {
  const head = new DataView(message.buffer);
  const path = Array.from({ length: head.getUint16(0) }, (_, depth) =>
    head.getUint16(2 + 2 * depth),
  );
  void readAttachment(message.slice(HEAD_BYTES), path)
    .catch(() => null)
    .then((answer: ReadAttachment | null) => parentPort?.postMessage(answer, []));
});
