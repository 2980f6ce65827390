import type { OutputOf } from '#contract/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { usePages } from '../../shared/queries/use-pages.ts';

export interface Reader {
  readonly value: string;
  readonly label: string;
}

/**
 * Returns the provider's users by name, for a selection; they are not stored. Empty while loading,
 * or if the user may not see them.
 */
export function useReaders(wanted: boolean): readonly Reader[] {
  const { pages, hasMore, failure } = usePages('listUsers', QUERY, {
    first: 1,
    getNext: ({ rows }: OutputOf<'listUsers'>, page) =>
      rows.length < SIZE || page === MAX_PAGES ? null : page + 1,
    request: (page) => client().ask('listUsers', { ...QUERY, page: String(page) }),
    wanted,
    isWhole: true,
  });
  if (hasMore && failure === null) return [];
  return pages.flatMap(({ rows }) =>
    rows.map(({ _id: id, name, username }) => ({
      value: id,
      label: name === username ? name : `${name} (${username})`,
    })),
  );
}

const SIZE = 200;
const QUERY = { pageSize: String(SIZE), sort: 'name' } as const;
const MAX_PAGES = 25;
