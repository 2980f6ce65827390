import type { Ms } from '#contract/ids.ts';
import { formatTime, formatWhen, plural } from '#src/ui/format.ts';

/** How fresh the rows of a file are: what the device knew when it was made. */
export interface Freshness {
  readonly live: boolean;
  readonly upTo: Ms | null;
  /** Days of the window that are here, of all. */
  readonly loaded: { readonly days: number; readonly of: number };
}

/** `DailyChecks_….csv: 612 rows`; and what is remembered rather than live, in words. */
export function exportedWords(
  name: string,
  rows: number,
  { live, upTo, loaded }: Freshness,
  now: Ms,
  zone: string,
): string {
  const when =
    upTo === null ? null : now - upTo < DAY_MS ? formatTime(upTo, zone) : formatWhen(upTo, zone);
  const remembered = live
    ? ''
    : when === null
      ? ' Made offline, from what this device remembers.'
      : ` Made offline: results up to ${when}.`;
  const part =
    loaded.days < loaded.of ? ` ${loaded.days} of ${plural(loaded.of, 'day')} were here.` : '';
  return `${name}: ${plural(rows, 'row')}.${remembered}${part}`;
}

const DAY_MS = 86_400_000;
