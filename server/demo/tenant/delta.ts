import type { GraphError } from './graph-error.ts';
import { type GraphEntity, type Query, graphUrl, linkTo, pageSize, readQuery } from './odata.ts';
import type { Tenant } from './store.ts';
import { type SyncState, openToken, sealToken } from './sync-token.ts';

/** One entity that has changed, or what is left of it. */
export interface EntityChange {
  readonly seq: number;
  readonly entity: GraphEntity;
}

export interface DeltaRules {
  /** What the token is about: it is valid for this collection only. */
  readonly scope: string;
  readonly kind: 'directory' | 'content';
  readonly type: string;
  readonly normalPage: number;
  readonly maxPage: number;
  readonly tokens: { readonly next: string; readonly done: string };
  readonly gone: () => GraphError;
  /** Returns what has changed after `state.at` up to `state.until`, oldest first. */
  readonly changes: (state: SyncState, limit: number) => readonly EntityChange[];
  /** Returns the page's entities of the changes, if others belong to them. */
  readonly complete?: (
    changes: readonly EntityChange[],
    state: SyncState,
  ) => readonly GraphEntity[];
  /** Returns the number of a point in time, if tokens may be one. */
  readonly sinceTime?: (at: number) => number;
}

/**
 * Returns a page of a delta query. A round covers the changes up to the number at which it began;
 * what changes while the client reads pages belongs to the next round, so nothing is missed.
 */
export function deltaPage(tenant: Tenant, request: Request, rules: DeltaRules): GraphEntity {
  const url = new URL(request.url);
  const { next, done } = rules.tokens;
  const query = readQuery(url);
  const token = readToken(url, [next, done]);
  const link = (name: string, sealed: string): string => {
    const target = new URL(url);
    target.search = '';
    target.searchParams.set(name, sealed);
    return linkTo(tenant, target);
  };
  const state = startState(tenant, rules, query, token, url);
  const finish = (): string =>
    link(
      done,
      sealToken(tenant, rules.scope, { ...state, since: state.until, at: state.until, until: 0 }),
    );
  const context = `${graphUrl(tenant)}/$metadata#Collection(${rules.type})`;
  if (token === 'latest')
    return { '@odata.context': context, 'value': [], '@odata.deltaLink': finish() };
  const size = pageSize(
    request,
    { ...query, top: query.top ?? state.pageSize },
    rules.normalPage,
    rules.maxPage,
  );
  const found = rules.changes(state, size + 1);
  const page = found.slice(0, size);
  const last = page.at(-1);
  const more = found.length > size && last !== undefined;
  return {
    '@odata.context': context,
    ...(more
      ? {
          '@odata.nextLink': link(next, sealToken(tenant, rules.scope, { ...state, at: last.seq })),
        }
      : { '@odata.deltaLink': finish() }),
    'value': rules.complete?.(page, state) ?? page.map(({ entity }) => entity),
  };
}

function readToken(url: URL, names: readonly string[]): string | null {
  for (const [name, value] of url.searchParams)
    if (names.includes(name.toLowerCase()) && value !== '') return value;
  return null;
}

function startState(
  tenant: Tenant,
  rules: DeltaRules,
  query: Query,
  token: string | null,
  url: URL,
): SyncState {
  const until = tenant.store.seq();
  if (token === null || token === 'latest')
    return {
      since: 0,
      at: 0,
      until,
      select: query.select,
      expand: query.expand,
      pageSize: query.top,
      receivedSince: readReceivedSince(query.filter),
      changeType: readChangeType(url),
    };
  const time = rules.sinceTime && /^\d{4}-\d\d-\d\dT/.test(token) ? Date.parse(token) : Number.NaN;
  if (rules.sinceTime && !Number.isNaN(time)) {
    const since = rules.sinceTime(time);
    return {
      since,
      at: since,
      until,
      select: query.select,
      expand: query.expand,
      pageSize: query.top,
      receivedSince: null,
      changeType: null,
    };
  }
  const state = openToken(tenant, rules.scope, token, rules.kind, rules.gone);
  return state.until === 0 ? { ...state, until } : state;
}

function readReceivedSince(filter: string | null): number | null {
  const match = /receivedDateTime\s+(ge|gt)\s+(\S+)/i.exec(filter ?? '');
  return match ? Date.parse(match[2] ?? '') + (match[1]?.toLowerCase() === 'gt' ? 1 : 0) : null;
}

function readChangeType(url: URL): SyncState['changeType'] {
  const type = url.searchParams.get('changeType');
  return type === 'created' || type === 'updated' || type === 'deleted' ? type : null;
}
