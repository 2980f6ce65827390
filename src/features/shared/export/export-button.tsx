import { useSyncExternalStore } from 'react';
import type { RunsFilter } from '#contract/runs/query.ts';
import { now } from '#src/app/clock.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { IconButton } from '#src/ui/button.tsx';
import type { ColumnId } from '../runs/columns.ts';
import { getExportColumns } from './columns.ts';
import { making, makeFile } from './make-file.ts';
import { exportedWords } from './labels.ts';
import { exportMessages as t } from './messages.en.ts';

export interface ExportButtonProps {
  /** The current list; the file has its rows. */
  readonly filter: RunsFilter;
  /** Columns of the grid, in its order. */
  readonly shown: readonly ColumnId[];
  readonly loaded: { readonly days: number; readonly of: number };
  readonly zone: string;
}

/**
 * Exports the current list as a CSV file. It is created on this device, also offline. `<ExportLine
 * />` shows the progress.
 */
export function ExportButton({ filter, shown, loaded, zone }: ExportButtonProps) {
  const busy = useSyncExternalStore(making.subscribe, making.now) !== null;
  const status = useWatch('status', EMPTY);
  const begin = (): void => {
    const fresh = {
      live: status?.kind === 'live' || status?.kind === 'catching-up',
      upTo: status?.syncedAt ?? null,
      loaded,
    };
    void makeFile({
      start: (onShare) => client().exportRuns(filter, getExportColumns(shown), onShare),
      formatDone: (name, rows) => exportedWords(name, rows, fresh, now(), zone),
    });
  };
  return (
    <IconButton
      icon="download"
      label={t.exportCsv}
      aria-disabled={busy}
      onClick={busy ? undefined : begin}
    />
  );
}

const EMPTY = {};
