import type { Bytes } from '#contract/ids.ts';
import type { Clock } from '#server/platform/app-context.ts';
import {
  type LimitedReader,
  makeLimitedReader,
  type ThreadLimits,
} from '#server/platform/threads/limited-reader.ts';
import type { ThreadResult } from '#server/platform/threads/limited-reader.ts';
import type { ReadAttachment } from './read-attachment.ts';
import type { ReadMail } from './read-mail.ts';

export type MailReader = LimitedReader<ReadMail>;

export interface AttachmentReader {
  /** The bytes of a mail, and the place of an attachment in it. */
  read(mail: Uint8Array, path: readonly number[]): Promise<ThreadResult<ReadAttachment>>;
}

/** Larger mails are downloaded. The parser needs several times as much memory. */
export const MAX_PREVIEW_BYTES: Bytes = 50 << 20;

/** Before the mail: how long the path is, and the path, in numbers of two bytes. */
export const HEAD_BYTES: Bytes = 2 + 2 * 8;

const LIMITS: ThreadLimits = {
  timeoutMs: 60_000,
  memoryMb: 512,
  script: new URL('./mail-thread.ts', import.meta.url),
  maxRunning: 2,
  maxWaiting: 32,
};

/** Reads mails in threads (G67). */
export const makeMailReader = (
  context: { readonly clock: Clock },
  limits: Partial<ThreadLimits> = {},
): MailReader => makeLimitedReader(context, { ...LIMITS, ...limits });

/** Reads what is attached to mails, in threads of their own (G67). */
export function makeAttachmentReader(
  context: { readonly clock: Clock },
  limits: Partial<ThreadLimits> = {},
): AttachmentReader {
  const threads = makeLimitedReader<ReadAttachment>(context, {
    ...LIMITS,
    script: new URL('./attachment-thread.ts', import.meta.url),
    ...limits,
  });
  return {
    read(mail, path) {
      const message = new Uint8Array(mail.length + HEAD_BYTES);
      const head = new DataView(message.buffer);
      head.setUint16(0, path.length);
      for (const [depth, n] of path.entries()) head.setUint16(2 + 2 * depth, n);
      message.set(mail, HEAD_BYTES);
      return threads.read(message);
    },
  };
}
