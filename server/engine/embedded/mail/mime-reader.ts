import type { Clock } from '#server/platform/app-context.ts';
import {
  type LimitedReader,
  makeLimitedReader,
  type ThreadLimits,
} from '#server/platform/threads/limited-reader.ts';
import type { MailContent } from './mail-content.ts';

export type MimeReader = LimitedReader<MailContent>;

const LIMITS: ThreadLimits = {
  timeoutMs: 60_000,
  memoryMb: 512,
  script: new URL('./mime-thread.ts', import.meta.url),
  maxRunning: 2,
  maxWaiting: 256,
};

/** Reads mails in threads (G67). */
export const makeMimeReader = (
  context: { readonly clock: Clock },
  limits: Partial<ThreadLimits> = {},
): MimeReader => makeLimitedReader(context, { ...LIMITS, ...limits });
