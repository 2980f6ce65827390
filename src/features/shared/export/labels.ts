import type { Ms } from '#contract/ids.ts';
import { formatTime, formatWhen } from '#src/ui/format.ts';
import { exportMessages as t } from './messages.en.ts';

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
  const sentences = [
    t.rowsSaved({ name, count: rows }),
    ...(live ? [] : [when === null ? t.offline : t.offlineUpTo({ time: when })]),
    ...(loaded.days < loaded.of ? [t.daysMissing({ loaded: loaded.days, total: loaded.of })] : []),
  ];
  return sentences.join(' ');
}

const DAY_MS = 86_400_000;
