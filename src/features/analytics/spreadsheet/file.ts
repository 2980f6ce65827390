import type { Ms } from '#contract/ids.ts';
import type { CalendarView } from '#contract/calendar/calendar.ts';
import { BOM, csvLine, csvName } from '#contract/runs/csv.ts';
import { STATES } from '#src/ui/states.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { shareOrDash } from '../../calendar/labels.ts';
import type { SheetPlace } from './address.ts';
import { ownLines, serverLines } from './sheet.ts';
import type { SheetHead, SheetLine } from './sheet.ts';
import { FailedCall } from '../../shared/export/make-file.ts';
import { getSheetInput, getQuestion } from './use-sheet.ts';
import { spreadsheetMessages as t } from './messages.en.ts';

/** Number of rows per request. */
const BATCH_SIZE = 200;

/** Loads one page of the spreadsheet's rows, with the total count. */
type PageOf = (
  first: number,
) => Promise<{ readonly lines: readonly SheetLine[]; readonly total: number }>;

export const getSheetTitles = (
  by: SheetPlace['by'],
  heads: readonly Pick<SheetHead, 'day'>[],
): string =>
  csvLine([
    t.company,
    ...(by === 'job' ? [t.job, t.computer] : [t.jobs]),
    t.goodDays,
    ...heads.map(({ day }) => day),
  ]);

/** Formats one row. Days without runs and without due runs are empty. */
export const sheetLine = (line: SheetLine): string =>
  csvLine([
    line.companyName,
    ...(line.name === null ? [line.detail] : [line.name, line.detail]),
    shareOrDash(line.share),
    ...line.cells.map((cell) =>
      cell === null ? null : cell === 'off' ? t.disabled : STATES[cell].label,
    ),
  ]);

/** Builds the whole spreadsheet as one file. Returns null if it was cancelled. */
export function makeSheetFile(
  place: SheetPlace,
  heads: readonly SheetHead[],
  loadPage: PageOf,
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
    const parts = [BOM + getSheetTitles(place.by, heads)];
    let rows = 0;
    let total = 1;
    while (rows < total) {
      const page = await loadPage(rows);
      if (cancelled) return null;
      if (page.lines.length === 0) break;
      parts.push(page.lines.map(sheetLine).join(''));
      rows += page.lines.length;
      ({ total } = page);
      onShare(rows / Math.max(1, total));
    }
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

/** Pages from this device. The calendar is queried once for all rows. */
export function ownPages(
  place: SheetPlace,
  time: { readonly from: Ms; readonly to: Ms },
  days: number,
): PageOf {
  return () =>
    new Promise((resolve, reject) => {
      let seen: CalendarView | null = null;
      const watching = client().watch(
        'calendar',
        getSheetInput(place, time, { first: 0, count: 1_000_000 }, days),
        (view) => {
          if (seen !== null || view === null) return;
          seen = view;
          resolve({ lines: ownLines(view), total: view.total });
          void close();
        },
      );
      const close = async (): Promise<void> => {
        (await watching).close();
      };
      watching.catch(reject);
    });
}

/** Pages from the server. */
export const serverPages =
  (place: SheetPlace, time: { readonly from: Ms; readonly to: Ms }): PageOf =>
  async (first) => {
    const page = await client().ask('spreadsheetReport', {
      ...getQuestion(place, time),
      by: place.by,
      page: String(first / BATCH_SIZE + 1),
      pageSize: String(BATCH_SIZE),
    });
    if (!page.ok) throw new FailedCall(page.failure);
    return { lines: serverLines(page.value), total: page.value.count };
  };
