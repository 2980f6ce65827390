/** The thread that reads mails for files of other formats. What it gets comes from strangers (G67). */
import { parentPort } from 'node:worker_threads';
import type { MailContent } from './mail-content.ts';
import { parseMime } from './read-mime.ts';

parentPort?.on('message', (mime: Uint8Array<ArrayBuffer>) => void answer(mime));

async function answer(mime: Uint8Array): Promise<void> {
  const mail = await parseMime(mime).catch(() => null);
  parentPort?.postMessage(mail, mail === null ? [] : getBuffers(mail));
}

/** Contents of attachments are transferred, not copied. */
function getBuffers({ attachments }: MailContent): ArrayBuffer[] {
  const buffers = attachments.flatMap((file) => {
    if (file.kind === 'message') return getBuffers(file.message);
    const { buffer, byteLength } = file.bytes;
    // A view of a part shares its memory with others.
    return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 0
      ? [buffer]
      : [];
  });
  return [...new Set(buffers)];
}
