import type { ListChildrenInput, Node, EnginePage } from '#contract/engine/engine.ts';
import type { Ms, NodeId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { cutText, lineOfText } from '#contract/stored-text.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import type { Vb365Client } from '../client.ts';
import { getNextOffset } from '../paging.ts';
import type { OpenExplorer } from './explorers.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import type { ShownNode } from './nodes.ts';
import { toPageShape } from './shapes.ts';

export interface ShownPage {
  readonly page: EnginePage<Node>;
  readonly shown: readonly ShownNode[];
}
export type ServerListInput = Pick<
  ListChildrenInput,
  'only' | 'text' | 'cursor' | 'offset' | 'limit' | 'sort' | 'descending'
>;

/** How paths of a session begin on the server. */
export const MAILBOXES = 'organization/mailboxes';
export const DRIVES = 'Organization/OneDrives';
export const SITES = 'Organization/Sites';
export const TEAMS = 'organization/teams';
export const part = (key: string): string => encodeURIComponent(key);
export const inSession = ({ key }: Pick<OpenExplorer, 'key'>, path: string): string =>
  `RestoreSessions/${key}/${path}`;

export interface ListRequest<R> {
  readonly path: string;
  readonly row: Parameters<typeof toPageShape>[0];
  readonly show: (row: R) => ShownNode;
}

interface Range {
  readonly offset: number;
  readonly limit: number;
}

/** Reads rows of a list. `next`: the offset of the rows after them; null: there are none. */
export async function readRows<R>(
  client: Vb365Client,
  explorer: OpenExplorer,
  { path, row }: Pick<ListRequest<R>, 'path' | 'row'>,
  { offset, limit }: Range,
): Promise<{ readonly rows: readonly R[]; readonly next: number | null }> {
  const query = `limit=${limit}&offset=${offset}`;
  const page = await client.read(
    inSession(explorer, `${path}${path.includes('?') ? '&' : '?'}${query}`),
    toPageShape(row),
  );
  return { rows: page.results as readonly R[], next: getNextOffset(page, offset, limit) };
}

export async function readPage<R>(
  client: Vb365Client,
  explorer: OpenExplorer,
  list: ListRequest<R>,
  range: Range,
): Promise<ShownPage> {
  const { rows, next } = await readRows<R>(client, explorer, list, range);
  const shown = rows.map(list.show);
  return {
    shown,
    page: {
      rows: shown.map(({ node }) => node),
      next: next === null ? null : String(next),
      // With the last row, all are known.
      count:
        next === null && (shown.length > 0 || range.offset === 0)
          ? range.offset + shown.length
          : null,
    },
  };
}

/**
 * Reads a list to its end, each row once. A server that repeats itself ends it; one that never ends it is
 * an error.
 */
export async function* readAll<R>(
  client: Vb365Client,
  explorer: OpenExplorer,
  list: ListRequest<R>,
): AsyncGenerator<readonly ShownNode[], void> {
  const seen = new Set<string>();
  for (let offset = 0; offset < MAX_ROWS;) {
    const { shown, page } = await readPage(client, explorer, list, { offset, limit: SCAN_ROWS });
    const fresh = shown.filter(({ node }) => !seen.has(node.id));
    for (const { node } of fresh) seen.add(node.id);
    if (fresh.length > 0) yield fresh;
    if (page.next === null || fresh.length === 0) return;
    offset = Number(page.next);
  }
  throw new SourceError('failed', t.endless({ host: client.host }));
}

/** Reads a list to its end to count its rows. */
export async function countRows<R>(
  client: Vb365Client,
  explorer: OpenExplorer,
  list: ListRequest<R>,
): Promise<number> {
  let count = 0;
  for await (const shown of readAll(client, explorer, list)) count += shown.length;
  return count;
}

/** Finds mailboxes, drives, sites or teams by a part of their name. The server's lists have no filter. */
export async function findObjects<R>(
  client: Vb365Client,
  explorer: OpenExplorer,
  list: ListRequest<R>,
  text: string,
): Promise<ShownPage> {
  const wanted = text.toLowerCase();
  const found: ShownNode[] = [];
  for await (const shown of readAll(client, explorer, list)) {
    found.push(...shown.filter(({ node }) => node.name.toLowerCase().includes(wanted)));
    if (found.length >= MAX_FOUND) break;
  }
  const rows = found.slice(0, MAX_FOUND);
  return {
    shown: rows,
    page: { rows: rows.map(({ node }) => node), next: null, count: rows.length },
  };
}
const SCAN_ROWS = 1_000;
/** The maximum length of a list. */
const MAX_ROWS = 200_000;
const MAX_FOUND = 500;

export const getCommon = ({ pointAt }: OpenExplorer, id: NodeId, name: string, at: Ms | null) => ({
  id,
  name,
  at,
  sizeBytes: null,
  deleted: false,
  // The server doesn't say at which other points it has it.
  seen: { first: pointAt, last: pointAt },
});

/** The first of several names that has any text, as a row can have it. */
export const getName = (...names: readonly (string | null | undefined)[]): string =>
  cutText(
    lineOfText(names.find((name) => Boolean(name?.trim())) ?? '').trim(),
    LIMITS.messageChars,
  );
