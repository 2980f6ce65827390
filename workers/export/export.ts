import type { ExportColumn } from '#contract/runs/csv.ts';
import { BOM, csvLine, csvName } from '#contract/runs/csv.ts';
import type { UserId } from '#contract/ids.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import type { ExportedFile, Exporting } from '#workers/api.ts';
import type { ColumnStore } from '#workers/types.ts';
import type { WorkerClock } from '#workers/context.ts';
import { getTitles } from '#contract/runs/csv-cells.ts';
import { makeCells } from './cells.ts';

interface Export {
  readonly engine: ColumnStore;
  readonly clock: WorkerClock;
  readonly names: ReadonlyMap<UserId, string>;
  readonly filter: RunsFilter;
  readonly columns: readonly ExportColumn[];
  /** Gets the share that is done. Errors of a closed page are ignored. */
  readonly onProgress: (share: number) => unknown;
  /** False once the user has signed out or the store was reloaded. */
  readonly stillHere: () => boolean;
}

/**
 * Rows per step, the maximum time of a slice of work, and how much text is collected before it is
 * converted to bytes.
 */
const ROWS = 250;
const SLICE_MS = 10;
const MAX_ROWS = 4_000;
const PART_CHARS = 1 << 20;

/**
 * Writes a list as CSV (CSV-5, CSV-6): in short slices with other work between them, so that a
 * query meanwhile is answered as usual. The rows are those from the start of the export; their
 * values are those at the time each is written.
 */
export function exportRuns({
  engine,
  clock,
  names,
  filter,
  columns,
  onProgress,
  stillHere,
}: Export): Exporting {
  let cancelled = false;
  const begun = clock.now();
  const selection = engine.select({ ...filter, group: null }, begun);
  const getCells = makeCells(engine, names, columns, filter.anomaly, begun);
  const parts: Blob[] = [];
  let text = BOM + csvLine(getTitles(columns));
  let next = 0;
  let rows = 0;

  const put = (): void => {
    parts.push(new Blob([text]));
    text = '';
  };
  const slice = (): void => {
    const until = clock.now() + SLICE_MS;
    const last = Math.min(selection.total, next + MAX_ROWS);
    while (next < last && clock.now() < until) {
      const runs = engine.lean(selection, { first: next, count: Math.min(ROWS, last - next) });
      for (const run of runs) text += csvLine(getCells(run));
      rows += runs.length;
      next += ROWS;
      if (text.length > PART_CHARS) put();
    }
  };
  const reportProgress = async (share: number): Promise<void> => {
    try {
      await onProgress(share);
    } catch {
      // the page that asked is closed
    }
  };

  const done = (async (): Promise<ExportedFile | null> => {
    void reportProgress(0);
    while (next < selection.total) {
      await new Promise<void>((resolve) => {
        clock.after(0, resolve);
      });
      if (cancelled || !stillHere()) return null;
      slice();
      void reportProgress(Math.min(1, next / selection.total));
    }
    put();
    if (selection.total === 0) void reportProgress(1);
    return {
      name: csvName('DailyChecks', begun, engine.wall.timeZone),
      rows,
      file: new Blob(parts, { type: 'text/csv;charset=utf-8' }),
    };
  })();
  return {
    done: () => done,
    cancel: () => {
      cancelled = true;
    },
  };
}
