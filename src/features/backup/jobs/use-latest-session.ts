import { useSyncExternalStore } from 'react';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import type { QueryResult } from '../../shared/queries/use-query.ts';

export type LatestSession = OutputOf<'getLatestSession'>;

/** How often the progress of a running session is read. */
const EVERY_MS: Ms = 3_000;

/**
 * Returns the running or last session of a job with its log. It is read again when a session starts
 * or ends, and repeatedly only while one is running and the page is visible.
 */
export function useLatestSession({
  id,
  running,
  recent,
}: Pick<BackupJobRow, 'id' | 'running' | 'recent'>): QueryResult<LatestSession> {
  const isVisible = useSyncExternalStore(subscribe, readVisibility);
  return useQuery('getLatestSession', { jobId: id }, true, {
    everyMs: running !== null && isVisible ? EVERY_MS : null,
    round: `${running?.id} ${recent[0]?.id} ${isVisible}`,
  });
}

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
const readVisibility = (): boolean => document.visibilityState === 'visible';
