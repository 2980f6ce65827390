import { LIMITS } from '#contract/limits.ts';
import { cutText } from '#contract/stored-text.ts';
import { vb365Messages as t } from './messages.en.ts';
import type { Vb365LogItem, Vb365Session } from './shapes.ts';

/**
 * Returns why a session didn't succeed: the most frequent error of the log, or else warning, so that
 * the same cause is one cause in every job. The log of version 7 has no types, so there it is the
 * session's own text.
 */
export function getMessage(session: Vb365Session, log: readonly Vb365LogItem[]): string {
  const details = short(session.details, LIMITS.messageChars);
  if (session.status === 'Stopped') return details ?? t.stopped;
  if (session.status === 'Disconnected') return details ?? t.disconnected;
  const max = getMostFrequent(log, 'Error') ?? getMostFrequent(log, 'Warning');
  if (max !== null) return max;
  const last = log.at(-1);
  return details ?? short(last?.title, LIMITS.messageChars) ?? t.noReason;
}

function getMostFrequent(log: readonly Vb365LogItem[], wanted: string): string | null {
  const times = new Map<string, number>();
  for (const { type, message } of log) {
    const text = type === wanted ? short(message, LIMITS.messageChars) : null;
    if (text !== null) times.set(text, (times.get(text) ?? 0) + 1);
  }
  const [max] = [...times].sort(([, a], [, b]) => b - a);
  return max?.[0] ?? null;
}

const short = (value: string | null | undefined, max: number): string | null =>
  cutText((value ?? '').trim(), max).trim() || null;
