import type { OutputOf } from '#contract/calls.ts';
import { ok } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { writeStored, readStored } from '#src/app/session/browser-storage.ts';
import { useRequest } from '../shared/queries/use-query.ts';

/**
 * Ids of the reports opened in this browser, newest first. Their content is encrypted with the rest
 * of the device's data and is deleted with it.
 */
const KEY = 'reportsOpened';
const MAX_STORED = 20;

export function openedIds(): readonly string[] {
  try {
    const all: unknown = JSON.parse(readStored(KEY) ?? '[]');
    return Array.isArray(all)
      ? all
          .filter((one): one is string => typeof one === 'string' && /^[\w-]{1,64}$/.test(one))
          .slice(0, MAX_STORED)
      : [];
  } catch {
    return [];
  }
}

export const noteOpened = (id: string): void =>
  writeStored(
    KEY,
    JSON.stringify([id, ...openedIds().filter((one) => one !== id)].slice(0, MAX_STORED)),
  );

export type OpenedReport = OutputOf<'openSentReport'>;

/**
 * Returns the reports that are readable offline. Queried only while offline; null while unknown.
 */
export function useReadable(offline: boolean): readonly OpenedReport[] | null {
  const { value } = useRequest(
    'useReadable',
    EMPTY,
    async () => {
      const all = await Promise.all(
        openedIds().map((id) =>
          client()
            .read('openSentReport', { id })
            .catch(() => null),
        ),
      );
      return ok(all.flatMap((one) => (one?.ok ? [one.value.value] : [])));
    },
    offline,
    { isLasting: true },
  );
  return offline ? value : null;
}
const EMPTY = {};
