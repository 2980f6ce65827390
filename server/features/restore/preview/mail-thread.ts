/**
 * The thread that reads mails for previews. Its input comes from strangers: a mail that crashes it,
 * or occupies it for too long, costs one preview (G67).
 */
import { parentPort } from 'node:worker_threads';
import { readShownMail, type ReadMail } from './read-mail.ts';

/** Null: it is no mail. */
export type MailAnswer = ReadMail | null;

parentPort?.on('message', (mime: Uint8Array<ArrayBuffer>) => {
  void readShownMail(mime)
    .catch(() => null)
    .then((mail: MailAnswer) => parentPort?.postMessage(mail, []));
});
