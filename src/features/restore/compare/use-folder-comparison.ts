import { useEffect, useRef, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { NOT_SENT } from '#src/app/worker/server-query.ts';
import { client } from '#src/app/worker/worker-client.ts';

export type ComparedRow = OutputOf<'compareFolderWithProduction'>['rows'][number];

type State = ComparedRow['state'];

interface Progress {
  /** Those that differ, and the first of the others. */
  readonly rows: readonly ComparedRow[];
  readonly counts: Readonly<Record<State, number>>;
  /** Of the folder; null: not known yet. */
  readonly total: number | null;
  /** Where it goes on; null: everything is compared. */
  readonly next: string | null;
  readonly failure: Failure | null;
}
export interface FolderComparison extends Omit<Progress, 'next'> {
  readonly isDone: boolean;
  readonly isRunning: boolean;
  readonly pause: () => void;
  /** Goes on where it stopped. */
  readonly start: () => void;
}

const FIRST = '';
const NO_COUNTS = { same: 0, changed: 0, moved: 0, deleted: 0 };
const EMPTY: Progress = { rows: [], counts: NO_COUNTS, total: null, next: FIRST, failure: null };
/** Unchanged items that are listed. */
export const MAX_ROWS = 200;

/** Compares the items of a folder page by page, until it is done, paused or refused. */
export function useFolderComparison(session: string, folder: string): FolderComparison {
  const [progress, setProgress] = useState<Progress>(EMPTY);
  const [isRunning, setIsRunning] = useState(true);
  const { next } = progress;
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  useEffect(() => {
    if (!isRunning || next === null) return;
    let isWanted = true;
    const read = async (): Promise<void> => {
      const page = await client()
        .ask('compareFolderWithProduction', {
          restoreSessionId: session,
          folderId: folder,
          ...(next !== FIRST && { cursor: next }),
        })
        .catch(() => NOT_SENT);
      // A page that came after a pause is not lost.
      if (!isOpen.current || (!isWanted && !page.ok)) return;
      if (!page.ok) {
        setIsRunning(false);
        setProgress((before) => ({ ...before, failure: page.failure }));
        return;
      }
      setProgress((before) =>
        before.next === next
          ? {
              ...addRows(before, page.value.rows),
              total: page.value.count ?? before.total,
              next: page.value.next,
              failure: null,
            }
          : before,
      );
    };
    void read();
    return () => {
      isWanted = false;
    };
  }, [session, folder, next, isRunning]);
  return {
    rows: progress.rows,
    counts: progress.counts,
    total: progress.total,
    failure: progress.failure,
    isDone: next === null,
    isRunning: isRunning && next !== null,
    pause: () => setIsRunning(false),
    start: () => {
      setProgress((before) => ({ ...before, failure: null }));
      setIsRunning(true);
    },
  };
}

function addRows(
  { rows, counts }: Progress,
  added: readonly ComparedRow[],
): Pick<Progress, 'rows' | 'counts'> {
  const next = { ...counts };
  const listed = added.filter(({ state }) => {
    next[state] += 1;
    return state !== 'same' || next.same <= MAX_ROWS;
  });
  return { rows: [...rows, ...listed], counts: next };
}
