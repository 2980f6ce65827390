import { useState } from 'react';
import { client } from '#src/app/worker/worker-client.ts';
import { pollWhile, useQuery } from '../../shared/queries/use-query.ts';
import type { ListedTask } from './task-labels.ts';

const PAGE_ROWS = 50;
const POLL_MS = 2_000;

/**
 * The restores of an organization, newest first: a page, and another one for each call of `more`.
 * The first page is loaded again while one of its restores is running.
 */
export function useTasks(organizationId: string) {
  const {
    value: first,
    failure,
    again,
  } = useQuery('listRestoreTasks', { organizationId, limit: String(PAGE_ROWS) }, true, {
    poll: pollWhile(({ rows }) => rows.some(({ state }) => state !== 'done'), POLL_MS),
  });
  const [older, setOlder] = useState<{
    readonly rows: readonly ListedTask[];
    readonly next: string | null;
  } | null>(null);
  const next = older === null ? (first?.next ?? null) : older.next;
  return {
    tasks: first && joinTasks(first.rows, older?.rows ?? []),
    failure,
    next,
    more: (): void => {
      void (async () => {
        const answer = await readTasks(organizationId, next);
        if (!answer.ok) return;
        // With those of the first page, from which new tasks displace them.
        setOlder((before) => ({
          rows: joinTasks(first?.rows ?? [], joinTasks(before?.rows ?? [], answer.value.rows)),
          next: answer.value.next,
        }));
      })();
    },
    again,
  };
}

/** Returns both, each task once: `newer` has its latest state. */
export const joinTasks = (
  newer: readonly ListedTask[],
  older: readonly ListedTask[],
): readonly ListedTask[] => {
  const known = new Set(newer.map(({ id }) => id));
  return [...newer, ...older.filter(({ id }) => !known.has(id))];
};

const readTasks = (organizationId: string, cursor: string | null) =>
  client().ask('listRestoreTasks', {
    organizationId,
    limit: String(PAGE_ROWS),
    ...(cursor !== null && { cursor }),
  });
