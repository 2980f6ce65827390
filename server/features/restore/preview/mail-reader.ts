import type { Bytes } from '#contract/ids.ts';
import type { Clock } from '#server/platform/app-context.ts';
import {
  type LimitedReader,
  makeLimitedReader,
  type ThreadLimits,
} from '#server/platform/threads/limited-reader.ts';
import type { ReadMail } from './read-mail.ts';

export type MailReader = LimitedReader<ReadMail>;

/** Larger mails are downloaded. The parser needs several times as much memory. */
export const MAX_PREVIEW_BYTES: Bytes = 50 << 20;

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
