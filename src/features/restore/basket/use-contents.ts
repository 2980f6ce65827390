import { useQueries } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useId } from 'react';
import type { Failure } from '#contract/errors.ts';
import type { Basket, BasketGroup, NamedEntry } from './basket.ts';
import { getGroupKey } from './basket.ts';
import { WORKLOADS } from './sessions.ts';
import type { BasketSessions } from './sessions.ts';
import { queryClient, useIdentity } from '#src/app/worker/server-query.ts';
import { client } from '#src/app/worker/worker-client.ts';

/** What is in the basket of one object, as the server names it. */
export interface GroupContent {
  readonly group: BasketGroup;
  readonly key: string;
  /** Of its entries, those that the restore point has; null: being loaded, or not loaded. */
  readonly named: readonly NamedEntry[] | null;
  /** The mailbox, drive, site or team itself. */
  readonly object: NamedEntry | null;
  /** How much it holds; null: being counted, or unknown. */
  readonly size: { readonly items: number; readonly bytes: number } | null;
  readonly failure: Failure | null;
}
type LoadedContent = Pick<GroupContent, 'named' | 'object' | 'size' | 'failure'> & {
  readonly of: string;
};

/** Loads the names of what is in a basket, in memory alone. `retry` loads again what failed. */
export function useContents(
  basket: Basket,
  sessions: BasketSessions,
  isOffline: boolean,
): { readonly contents: readonly GroupContent[]; readonly retry: () => void } {
  const identity = useIdentity();
  const panel = useId();
  const results = useQueries(
    {
      queries: basket.map((group) => ({
        queryKey: ['useContents', panel, getGroupKey(group), identity],
        enabled: !isOffline,
        // A restore point never changes. What is removed is there at once if that is undone.
        staleTime: ({ state }: { readonly state: { readonly data?: LoadedContent | undefined } }) =>
          state.data === undefined || state.data.failure !== null ? 0 : Infinity,
        gcTime: Infinity,
        queryFn: async (): Promise<LoadedContent> => ({
          ...(await loadContent(group, sessions)),
          of: getNodes(group),
        }),
      })),
    },
    queryClient,
  );
  // Names are in memory only while the basket is open.
  useEffect(() => () => queryClient.removeQueries({ queryKey: ['useContents', panel] }), [panel]);
  const changed = basket.filter((group, index) => {
    const of = results[index]?.data?.of;
    return of !== undefined && of !== getNodes(group);
  });
  const loadChanged = useEffectEvent((): void => {
    for (const group of changed) void results[basket.indexOf(group)]?.refetch();
  });
  const changes = isOffline ? '' : changed.map(getNodes).join('|');
  useEffect(() => {
    if (changes !== '') loadChanged();
  }, [changes]);
  return {
    contents: basket.map((group, index) => {
      const known = results[index]?.data;
      const isCurrent = known?.of === getNodes(group);
      const nodes = new Set(group.nodes);
      return {
        group,
        key: getGroupKey(group),
        // What is removed from a basket needs no other answer.
        named: known?.named?.filter((entry) => nodes.has(entry.id)) ?? null,
        object: known?.object ?? null,
        size: isCurrent ? known.size : null,
        failure: isCurrent ? known.failure : null,
      };
    }),
    retry: () => {
      for (const { data, refetch } of results)
        if (data !== undefined && data.failure !== null) void refetch();
    },
  };
}
const getNodes = ({ nodes }: BasketGroup): string => nodes.join(' ');

async function loadContent(
  group: BasketGroup,
  sessions: BasketSessions,
): Promise<Pick<GroupContent, 'named' | 'object' | 'size' | 'failure'>> {
  const answer = await sessions.use(group, (restoreSessionId) =>
    client().ask('nameRestoreNodes', {
      restoreSessionId,
      nodes: [...new Set([group.object, ...group.nodes])].slice(0, MAX_NODES),
    }),
  );
  // A restore point that is gone has none of it.
  if (!answer.ok)
    return answer.failure.kind === 'not-found'
      ? { named: [], object: null, size: null, failure: null }
      : { named: null, object: null, size: null, failure: answer.failure };
  const { rows } = answer.value;
  const wanted = new Set(group.nodes);
  const named = rows.filter((row) => wanted.has(row.id));
  const size =
    named.length === 0
      ? null
      : await sessions.use(group, (session) =>
          WORKLOADS[group.workload].getSize(
            session,
            named.map((row) => row.id),
          ),
        );
  return {
    named,
    object: rows.find((row) => row.id === group.object) ?? null,
    size: size?.ok === true ? size.value : null,
    failure: null,
  };
}
const MAX_NODES = 5_000;
