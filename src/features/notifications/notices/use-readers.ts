import { useEffect, useState } from 'react';
import { client } from '#src/app/worker/worker-client.ts';

export interface Reader {
  readonly value: string;
  readonly label: string;
}

/**
 * Returns the provider's users by name, for a selection; they are not stored. Empty while loading,
 * or if the user may not see them.
 */
export function useReaders(wanted: boolean): readonly Reader[] {
  const [readers, setReaders] = useState<readonly Reader[]>([]);
  useEffect(() => {
    if (!wanted) return;
    const left = new AbortController();
    const ask = async (): Promise<void> => {
      const found: Reader[] = [];
      for (let page = 1; page <= MAX_PAGES && !left.signal.aborted; page += 1) {
        const answer = await client().ask('listUsers', {
          page: String(page),
          pageSize: String(SIZE),
          sort: 'name',
        });
        if (!answer.ok) break;
        found.push(
          ...answer.value.rows.map(({ _id: id, name, username }) => ({
            value: id,
            label: name === username ? name : `${name} (${username})`,
          })),
        );
        if (answer.value.rows.length < SIZE) break;
      }
      if (!left.signal.aborted) setReaders(found);
    };
    void ask();
    return () => left.abort();
  }, [wanted]);
  return readers;
}

const SIZE = 200;
const MAX_PAGES = 25;
