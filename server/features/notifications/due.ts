import { Cron } from 'croner';
import type { Ms } from '#contract/ids.ts';
import type { NotifySettings } from '#contract/notifications/notifications.ts';

/**
 * Returns when the digest is next due after a time. A local time that the clocks skip becomes the
 * first moment after the gap; of a repeated one the first counts. Null if there is none.
 */
export function digestAfter(
  { digest, timeZone }: Pick<NotifySettings, 'digest' | 'timeZone'>,
  after: Ms,
): Ms | null {
  if (!digest.on) return null;
  const [hour = 0, minute = 0] = digest.at.split(':').map(Number);
  try {
    return (
      new Cron(`${minute} ${hour} * * ${digest.weekdays.map((day) => day % 7).join()}`, {
        timezone: timeZone,
        paused: true,
      })
        .nextRun(new Date(after))
        ?.getTime() ?? null
    );
  } catch {
    return null;
  }
}

/** Returns the last time up to now at which the digest was due, starting from a known one. */
export function lastDigest(
  settings: Pick<NotifySettings, 'digest' | 'timeZone'>,
  known: Ms,
  now: Ms,
): Ms {
  let at = known;
  for (
    let next = digestAfter(settings, at);
    next !== null && next <= now;
    next = digestAfter(settings, at)
  )
    at = next;
  return at;
}
