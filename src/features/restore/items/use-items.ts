import { useCallback, useEffect, useRef, useState } from 'react';
import type { Failure } from '#contract/errors.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import type { ItemSort } from '../address.ts';
import type { ItemNode, ItemQuery, NodeAt, NodePage, WorkloadPage } from '../workload.ts';

export const PAGE_ROWS = 200;
/** Pages in memory; those farthest from what is shown go first. */
export const MAX_PAGES = 20;

export interface Items {
  /** Null: not known yet. */
  readonly count: number | null;
  /** There are more, and nobody knows how many: `count` grows with each page. */
  readonly isMore: boolean;
  readonly itemAt: (index: number) => ItemNode | null;
  /** Loads the pages with these rows, both inclusive. */
  readonly show: (first: number, last: number) => void;
  /** Returns rows, both inclusive, also those that aren't loaded. */
  readonly read: (first: number, last: number) => Promise<Result<readonly ItemNode[]>>;
  readonly failure: Failure | null;
  readonly retry: () => void;
}

interface Loaded {
  readonly key: string;
  readonly pages: ReadonlyMap<number, NodePage<ItemNode>>;
  readonly count: number | null;
  readonly isMore: boolean;
  readonly failure: Failure | null;
}

export interface ItemsInput {
  readonly workload: WorkloadPage;
  readonly session: string;
  readonly at: NodeAt;
  readonly text: string;
  readonly sort: ItemSort;
  readonly onRead: (result: Result<unknown>) => void;
}

/** The items of a folder, loaded in pages around what is shown. */
export function useItems({ workload, session, at, text, sort, onRead }: ItemsInput): Items {
  const { object, folder, kind } = at;
  const key = JSON.stringify([session, object, folder, text, sort]);
  const [loaded, setLoaded] = useState<Loaded>(EMPTY);
  const current = loaded.key === key ? loaded : EMPTY;
  // Answers to the requests of an earlier list, or of a closed one, are ignored.
  const running = useRef({ key, pages: new Set<number>() });
  useEffect(
    () => () => {
      running.current = { key: '', pages: new Set() };
    },
    [],
  );
  const [shown, setShown] = useState<readonly [number, number]>([0, 0]);

  const request = useCallback(
    async (
      offset: number,
      limit: number,
      cursor: string | null,
    ): Promise<Result<NodePage<ItemNode>>> => {
      const query: ItemQuery = {
        limit: String(limit),
        // A cursor is faster than an offset deep in a large folder.
        ...(cursor === null ? { offset: String(offset) } : { cursor }),
        ...(text !== '' && { search: text }),
        ...getSortFields(sort),
      };
      const started = running.current;
      const answer = await workload.listItems(
        session,
        { object, folder, ...(kind !== undefined && { kind }) },
        query,
      );
      if (running.current === started) onRead(answer);
      return answer;
    },
    [workload, session, object, folder, kind, text, sort, onRead],
  );

  const [first, last] = shown;
  const missing = missingPages(current, first, last);
  const wanted = missing[0] ?? null;
  const before = wanted === null ? null : (current.pages.get(wanted - 1)?.next ?? null);
  const isFailed = current.failure !== null;
  useEffect(() => {
    if (running.current.key !== key) running.current = { key, pages: new Set() };
    if (wanted === null || isFailed) return;
    const started = running.current;
    if (started.pages.has(wanted)) return;
    started.pages.add(wanted);
    const load = async (): Promise<void> => {
      const answer = await request(wanted * PAGE_ROWS, PAGE_ROWS, before);
      if (running.current !== started) return;
      started.pages.delete(wanted);
      setLoaded((was) => {
        const base = was.key === key ? was : { ...EMPTY, key };
        return answer.ok
          ? {
              key,
              pages: getNearestPages(new Map(base.pages).set(wanted, answer.value), wanted),
              ...countRows(base, wanted, answer.value),
              failure: null,
            }
          : { ...base, failure: answer.failure };
      });
    };
    void load();
  }, [key, wanted, before, isFailed, request]);

  const itemAt = (index: number): ItemNode | null =>
    current.pages.get(Math.floor(index / PAGE_ROWS))?.rows[index % PAGE_ROWS] ?? null;
  return {
    count: current.count,
    isMore: current.isMore,
    itemAt,
    show: (from, to) => setShown((was) => (was[0] === from && was[1] === to ? was : [from, to])),
    async read(from, to) {
      const rows: ItemNode[] = [];
      for (let index = from; index <= to;) {
        const known = itemAt(index);
        if (known !== null) {
          rows.push(known);
          index += 1;
          continue;
        }
        const answer = await request(index, Math.min(READ_ROWS, to - index + 1), null);
        if (!answer.ok) return failed(answer.failure);
        if (answer.value.rows.length === 0) break;
        rows.push(...answer.value.rows);
        index += answer.value.rows.length;
      }
      return ok(rows);
    },
    failure: current.failure,
    retry: () => setLoaded((was) => ({ ...was, failure: null })),
  };
}

/** Rows of a request for many items at once. */
const READ_ROWS = 1_000;
const EMPTY: Loaded = { key: '', pages: new Map(), count: null, isMore: false, failure: null };

/**
 * How many rows a list has, as far as its pages say. Without a count, one row after the known ones
 * stands for those of the next page.
 */
export function countRows(
  before: Pick<Loaded, 'count' | 'isMore'>,
  page: number,
  { rows, next, count }: Pick<NodePage<unknown>, 'rows' | 'next' | 'count'>,
): Pick<Loaded, 'count' | 'isMore'> {
  if (count !== null) return { count, isMore: false };
  // Later pages of a list that has been counted don't count it again.
  if (before.count !== null && !before.isMore) return { count: before.count, isMore: false };
  const known = page * PAGE_ROWS + rows.length;
  if (next === null) return { count: known, isMore: false };
  return { count: Math.max(before.count ?? 0, known + 1), isMore: true };
}

const getSortFields = (sort: ItemSort): Pick<ItemQuery, 'sort' | 'descending'> => ({
  sort: (sort.startsWith('-') ? sort.slice(1) : sort) as ItemQuery['sort'],
  descending: sort.startsWith('-') ? 'true' : 'false',
});

/** Returns the pages of rows that aren't loaded; the first page first, because it has the count. */
export function missingPages(
  { pages, count }: Pick<Loaded, 'pages' | 'count'>,
  first: number,
  last: number,
): readonly number[] {
  if (count === null) return pages.has(0) ? [] : [0];
  if (first >= count) return [];
  const end = Math.floor(Math.min(last, count - 1) / PAGE_ROWS);
  const missing: number[] = [];
  for (let page = Math.floor(Math.max(0, first) / PAGE_ROWS); page <= end; page++)
    if (!pages.has(page)) missing.push(page);
  return missing;
}

/** Returns the pages that stay in memory. */
export function getNearestPages<T>(
  pages: ReadonlyMap<number, T>,
  page: number,
): ReadonlyMap<number, T> {
  if (pages.size <= MAX_PAGES) return pages;
  return new Map(
    [...pages].toSorted(([a], [b]) => Math.abs(a - page) - Math.abs(b - page)).slice(0, MAX_PAGES),
  );
}
