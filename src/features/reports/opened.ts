import { useEffect, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { writeStored, readStored } from '#src/app/session/browser-storage.ts';

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
  const [found, setFound] = useState<readonly OpenedReport[] | null>(null);
  useEffect(() => {
    if (!offline) return;
    let gone = false;
    const look = async (): Promise<void> => {
      const all = await Promise.all(
        openedIds().map((id) =>
          client()
            .read('openSentReport', { id })
            .catch(() => null),
        ),
      );
      if (!gone) setFound(all.flatMap((one) => (one?.ok ? [one.value.value] : [])));
    };
    void look();
    return () => {
      gone = true;
    };
  }, [offline]);
  return offline ? found : null;
}
