import type { OutputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { pollWhile, type QueryResult, useQuery } from '../../shared/queries/use-query.ts';

export type BackgroundDownload = OutputOf<'getBackgroundDownload'>;

export const isRunning = ({ state }: Pick<BackgroundDownload, 'state'>): boolean =>
  state === 'queued' || state === 'running';

const POLL_MS: Ms = 2_000;

/** The user's downloads in the background. Nothing of them is stored on the device. */
export const useDownloads = (limit: number): QueryResult<OutputOf<'listBackgroundDownloads'>> =>
  useQuery('listBackgroundDownloads', { offset: 0, limit }, true, {
    poll: pollWhile(({ results }) => results.some(isRunning), POLL_MS),
    keepsPrevious: true,
  });

export const useBackgroundDownload = (id: string): QueryResult<BackgroundDownload> =>
  useQuery('getBackgroundDownload', { id }, true, { poll: pollWhile(isRunning, POLL_MS) });
