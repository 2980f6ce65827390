import { useCallback, useEffect, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';

export type BackgroundDownload = OutputOf<'getBackgroundDownload'>;

export const isRunning = ({ state }: Pick<BackgroundDownload, 'state'>): boolean =>
  state === 'queued' || state === 'running';

interface Polled<T> {
  /** Null: not known yet. */
  readonly value: T | null;
  readonly failure: Failure | null;
  readonly reload: () => Promise<void>;
}

const POLL_MS: Ms = 2_000;

/** Asks once, and again as long as something goes on, or nothing is known. */
function usePolled<T>(ask: () => Promise<Result<T>>, isActive: (value: T) => boolean): Polled<T> {
  const [value, setValue] = useState<T | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const reload = useCallback(async (): Promise<void> => {
    const answer = await ask();
    setFailure(answer.ok ? null : answer.failure);
    if (answer.ok) setValue(answer.value);
  }, [ask]);
  useEffect(() => {
    const timer = setTimeout(() => void reload());
    return () => clearTimeout(timer);
  }, [reload]);
  const isPolling =
    failure === null ? value !== null && isActive(value) : failure.kind !== 'not-found';
  useEffect(() => {
    if (!isPolling) return;
    const timer = setInterval(() => void reload(), POLL_MS);
    return () => clearInterval(timer);
  }, [isPolling, reload]);
  return { value, failure, reload };
}

/** The user's downloads in the background. Nothing of them is stored on the device. */
export function useDownloads(limit: number): Polled<OutputOf<'listBackgroundDownloads'>> {
  const ask = useCallback(
    () => client().ask('listBackgroundDownloads', { offset: 0, limit }),
    [limit],
  );
  return usePolled(ask, ({ results }) => results.some(isRunning));
}

export function useBackgroundDownload(id: string): Polled<BackgroundDownload> {
  const ask = useCallback(() => client().ask('getBackgroundDownload', { id }), [id]);
  return usePolled(ask, isRunning);
}
