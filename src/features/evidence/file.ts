import type { Ms } from '#contract/ids.ts';
import { BOM, csvLine, csvName, utcText, wallText } from '#contract/runs/csv.ts';
import type { Cell } from '#contract/runs/csv.ts';
import type { Evidence } from '#contract/daily-checks/operator-calls.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import { TYPE_WORDS } from '#src/features/shared/runs/labels.ts';
import { ACTION_NAMES, stateWord } from './labels.ts';
import { evidenceMessages as t } from './messages.en.ts';

const TITLES = [
  t.when,
  t.whenUtc,
  t.user,
  t.action,
  t.state,
  t.company,
  t.job,
  t.computer,
  t.source,
  t.type,
  t.cause,
  t.comment,
  t.until,
  t.untilUtc,
  t.problemRuns,
];

/** Formats a line of the file; times in the provider's zone and in UTC. */
export function evidenceLine(one: Evidence, zone: string): string {
  const moment = (at: Ms | null): readonly Cell[] =>
    at === null ? [null, null] : [wallText(at, zone), utcText(at)];
  return csvLine([
    ...moment(one.at),
    one.who,
    ACTION_NAMES[one.what],
    stateWord(one),
    one.company,
    one.job,
    one.computer,
    SOURCE_NAMES[one.source],
    TYPE_WORDS[one.type],
    one.cause,
    one.comment,
    ...moment(one.until),
    one.runs === 0 ? null : one.runs,
  ]);
}

export interface EvidencePage {
  readonly rows: readonly Evidence[];
  readonly before: string | null;
}

/**
 * Loads the page before a cursor, or the newest one.
 * @throws if it cannot be loaded
 */
export type PageOf = (before: string | null) => Promise<EvidencePage>;

/**
 * Exports all pages of a period as one file. Pages come newest first, so the progress is how far
 * back the last line is. Returns null if it was cancelled.
 */
export function makeEvidenceFile(
  loadPage: PageOf,
  { from, to }: { readonly from: Ms; readonly to: Ms },
  now: Ms,
  zone: string,
  onShare: (share: number) => void,
) {
  let cancelled = false;
  const done = async (): Promise<{
    readonly name: string;
    readonly rows: number;
    readonly file: Blob;
  } | null> => {
    const parts = [BOM + csvLine(TITLES)];
    let before: string | null = null;
    let rows = 0;
    do {
      const page: EvidencePage = await loadPage(before);
      if (cancelled) return null;
      parts.push(page.rows.map((one) => evidenceLine(one, zone)).join(''));
      rows += page.rows.length;
      ({ before } = page);
      const last = page.rows.at(-1);
      onShare(
        before === null || !last ? 1 : Math.min(1, Math.max(0, (to - last.at) / (to - from))),
      );
    } while (before !== null);
    return {
      name: csvName(t.fileName, now, zone),
      rows,
      file: new Blob(parts, { type: 'text/csv;charset=utf-8' }),
    };
  };
  return {
    done,
    cancel: () => {
      cancelled = true;
    },
  };
}
