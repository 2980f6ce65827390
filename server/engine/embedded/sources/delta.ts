import type * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import { graphUrl } from '../graph/clouds.ts';
import type { GraphResult } from '../graph/request.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { failed } from '../../result.ts';

/** A page of a delta query. `cursor`: where it goes on, now or with the next backup. */
export interface DeltaPage<T> {
  readonly rows: readonly T[];
  /** A complete listing begins with this page. */
  readonly restart: boolean;
  readonly cursor: string;
  readonly isComplete: boolean;
}

export interface DeltaQuery<S extends v.GenericSchema> {
  /** The path of the query without a state. */
  readonly start: string;
  /** Where it goes on; undefined: from the beginning. */
  readonly cursor: string | undefined;
  readonly row: S;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * An unknown state begins again at `start`, not at the address that the cloud names: that one
   * has lost what `start` selects.
   */
  readonly restartsAtStart?: boolean;
  /** The first page, if it has been read already. */
  readonly first?: GraphResult<GraphPage<v.InferOutput<S>>>;
}

/** More states that are unknown in a row than this are an error of the cloud. */
const MAX_RESTARTS = 3;

/** Before the link of a cursor in the middle of a round. */
const MORE = 'more ';
export const getLink = (cursor: string): string => cursor.replace(MORE, '');

/**
 * Reads what changed since the cursor. If the cloud no longer knows that state, everything is listed
 * from the beginning (ENG-5). What changed while the pages of a round were read is read too: it may
 * have been left out of all of them.
 */
export async function* readDelta<S extends v.GenericSchema>(
  client: GraphClient,
  { start, cursor, row, headers, first, restartsAtStart = false }: DeltaQuery<S>,
): AsyncGenerator<EngineResult<DeltaPage<v.InferOutput<S>>>, void> {
  let link = cursor === undefined ? start : getLink(cursor);
  let restart = cursor === undefined;
  let isLong = cursor?.startsWith(MORE) === true;
  let ready = first;
  for (let restarts = 0; ;) {
    const page: GraphResult<GraphPage<v.InferOutput<S>>> =
      ready ?? (await client.page(link, row, { headers }));
    ready = undefined;
    if (!page.ok) {
      const isExpired = page.error.kind === 'ended' && !client.scope.signal.aborted;
      if (!isExpired || restarts === MAX_RESTARTS) return yield { ok: false, error: page.error };
      restarts += 1;
      restart = true;
      const named = restartsAtStart ? null : (page.restart ?? null);
      link = named !== null && graphUrl(client.ports.cloud, named) !== null ? named : start;
      continue;
    }
    const { rows, next, delta } = page.value;
    const after = next ?? delta;
    if (after === null || next === link) return yield failed('internal', t.unreadable);
    isLong ||= next !== null;
    const isComplete = next === null && !isLong;
    const state = isLong ? `${MORE}${after}` : after;
    yield { ok: true, value: { rows, restart, cursor: state, isComplete } };
    if (isComplete) return;
    if (next === null) isLong = false;
    restart = false;
    link = after;
  }
}

/** The last state of each row of a page: a page may name one more than once. */
export const latestRows = <T extends { readonly id: string }>(rows: readonly T[]): T[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
];
