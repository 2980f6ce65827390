import type { Ms } from '#contract/ids.ts';
import { formatRecent } from '#src/ui/format.ts';
import { exportMessages as t } from './messages.en.ts';

/** How fresh the rows of a file were when it was made. */
export interface Freshness {
  readonly live: boolean;
  readonly upTo: Ms | null;
  /** Number of the window's days that are loaded, and of all its days. */
  readonly loaded: { readonly days: number; readonly of: number };
}

/** `DailyChecks_….csv: 612 rows`, with a note if the data was not live. */
export function exportedWords(
  name: string,
  rows: number,
  { live, upTo, loaded }: Freshness,
  now: Ms,
  zone: string,
): string {
  const when = upTo === null ? null : formatRecent(upTo, zone, now);
  const sentences = [
    t.rowsSaved({ name, count: rows }),
    ...(live ? [] : [when === null ? t.offline : t.offlineUpTo({ time: when })]),
    ...(loaded.days < loaded.of ? [t.daysMissing({ loaded: loaded.days, total: loaded.of })] : []),
  ];
  return sentences.join(' ');
}
