import { useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { usePages } from '../../shared/queries/use-pages.ts';

export type ComparedRow = OutputOf<'compareFolderWithProduction'>['rows'][number];

type State = ComparedRow['state'];

type ComparedPage = OutputOf<'compareFolderWithProduction'>;

interface Comparison {
  /** Those that differ, and the first of the others. */
  readonly rows: readonly ComparedRow[];
  readonly counts: Readonly<Record<State, number>>;
}
export interface FolderComparison extends Comparison {
  /** Of the folder; null: not known yet. */
  readonly total: number | null;
  readonly failure: Failure | null;
  readonly isDone: boolean;
  readonly isRunning: boolean;
  readonly pause: () => void;
  /** Goes on where it stopped. */
  readonly start: () => void;
}

/** Unchanged items that are listed. */
export const MAX_ROWS = 200;

/** Compares the items of a folder page by page, until it is done, paused or refused. */
export function useFolderComparison(session: string, folder: string): FolderComparison {
  const [isPaused, setIsPaused] = useState(false);
  const input = { restoreSessionId: session, folderId: folder };
  const { pages, failure, isLoading, hasMore, more } = usePages(
    'compareFolderWithProduction',
    input,
    {
      first: null,
      getNext: ({ next }: ComparedPage) => next,
      request: (cursor: string | null) =>
        client().ask('compareFolderWithProduction', {
          ...input,
          ...(cursor !== null && { cursor }),
        }),
      isWhole: !isPaused,
    },
  );
  const isStopped = isPaused || (failure !== null && !isLoading);
  return {
    ...addPages(pages),
    total: pages.findLast(({ count }) => count !== null)?.count ?? null,
    failure: isPaused || isLoading ? null : failure,
    isDone: !hasMore,
    isRunning: !isStopped && hasMore,
    pause: () => setIsPaused(true),
    start: () => {
      setIsPaused(false);
      if (failure !== null) more();
    },
  };
}

function addPages(pages: readonly ComparedPage[]): Comparison {
  const counts = { same: 0, changed: 0, moved: 0, deleted: 0 };
  const rows = pages
    .flatMap((page) => page.rows)
    .filter(({ state }) => {
      counts[state] += 1;
      return state !== 'same' || counts.same <= MAX_ROWS;
    });
  return { rows, counts };
}
