import { matchesFilter, toText } from './odata-filter.ts';
import { badRequest, GraphError } from './graph-error.ts';
import type { Tenant } from './store.ts';

/** An entity as it is returned; keys with `@` are annotations. */
export type GraphEntity = Readonly<Record<string, unknown>>;

export const GRAPH = 'graph.microsoft.com';

/** The query options of a request, without the tokens of pages. */
export interface Query {
  readonly select: readonly string[] | null;
  readonly expand: readonly string[];
  readonly filter: string | null;
  readonly orderBy: string | null;
  readonly search: string | null;
  readonly count: boolean;
  readonly top: number | null;
}

export function readQuery(url: URL): Query {
  const option = (name: string): string | null =>
    url.searchParams.get(`$${name}`) ?? url.searchParams.get(name);
  const list = (name: string): string[] =>
    (option(name) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  const top = option('top');
  if (top !== null && !/^\d+$/.test(top)) throw badRequest('Invalid value for $top.');
  return {
    select: option('select') === null ? null : list('select'),
    expand: list('expand'),
    filter: option('filter'),
    orderBy: option('orderby'),
    search: option('search'),
    count: option('count') === 'true',
    top: top === null ? null : Number(top),
  };
}

/**
 * Returns the entity with its selected properties. Its id and annotations are always returned;
 * properties that nobody selected are those of `always`.
 * @throws GraphError a property that the type doesn't have
 */
export function selectProperties(
  entity: GraphEntity,
  select: readonly string[] | null,
  type: string,
  always: readonly string[] | null = null,
): GraphEntity {
  const names = select ?? always;
  if (names === null) return entity;
  for (const name of select ?? [])
    if (!(name in entity) && name !== 'id' && !name.startsWith('@') && !name.includes('/'))
      throw badRequest(
        `Could not find a property named '${name}' on type 'microsoft.graph.${type}'.`,
      );
  return Object.fromEntries(
    Object.entries(entity).filter(
      ([name]) => name === 'id' || names.includes(name) || isAnnotation(name, select),
    ),
  );
}

const isAnnotation = (name: string, select: readonly string[] | null): boolean =>
  name.startsWith('@') && (name.startsWith('@odata.') || select === null || select.includes(name));

/** Returns the page size: what the client prefers, at most `max`. */
export function pageSize(request: Request, query: Query, normal: number, max: number): number {
  const preferred = /odata\.maxpagesize=(\d+)/i.exec(request.headers.get('prefer') ?? '')?.[1];
  const size = query.top ?? (preferred === undefined ? normal : Number(preferred));
  if (size > max && query.top !== null)
    throw badRequest(
      `Invalid page size specified: '${size}'. Must be between 1 and ${max} inclusive.`,
    );
  return Math.max(1, Math.min(size, max));
}

export interface ListRules {
  readonly type: string;
  readonly normal: number;
  readonly max: number;
  readonly always?: readonly string[];
  /** Directory objects answer advanced queries only to `ConsistencyLevel: eventual`. */
  readonly advanced?: boolean;
}

/**
 * Filters, sorts, counts and pages a list, as the directory does: `$skiptoken` is the place in it.
 * Rows become entities only where it matters.
 */
export function listPage<T>(
  tenant: Tenant,
  request: Request,
  rows: readonly T[],
  toEntity: (row: T) => GraphEntity,
  rules: ListRules,
): GraphEntity {
  const url = new URL(request.url);
  const query = readQuery(url);
  checkAdvanced(request, query, rules);
  const size = pageSize(request, query, rules.normal, rules.max);
  const from = Number(url.searchParams.get('$skiptoken') ?? url.searchParams.get('$skip') ?? 0);
  const isPlain = query.filter === null && query.search === null && query.orderBy === null;
  const found = isPlain ? null : findEntities(rows.map(toEntity), query);
  const total = found?.length ?? rows.length;
  const page = found?.slice(from, from + size) ?? rows.slice(from, from + size).map(toEntity);
  const next = new URL(request.url);
  next.searchParams.delete('$skip');
  next.searchParams.set('$skiptoken', String(from + size));
  return {
    '@odata.context': `${graphUrl(tenant)}/$metadata#${rules.type}s`,
    ...(query.count ? { '@odata.count': total } : {}),
    ...(from + size < total ? { '@odata.nextLink': linkTo(tenant, next) } : {}),
    'value': page.map((entity) =>
      selectProperties(entity, query.select, rules.type, rules.always ?? null),
    ),
  };
}

/** The same for few entities that are there already. */
export const pageEntities = (
  tenant: Tenant,
  request: Request,
  entities: readonly GraphEntity[],
  rules: ListRules,
): GraphEntity => listPage(tenant, request, entities, (entity) => entity, rules);

/** @throws GraphError 400 */
function checkAdvanced(request: Request, query: Query, rules: ListRules): void {
  const isAdvanced = query.search !== null || query.count || query.orderBy !== null;
  const eventual = request.headers.get('consistencylevel')?.toLowerCase() === 'eventual';
  if (rules.advanced === true && isAdvanced && !eventual)
    throw new GraphError(
      400,
      'Request_UnsupportedQuery',
      "Request with $search, $count or $orderby query parameter only works through MSGraph with a special request header: 'ConsistencyLevel: eventual'",
    );
}

function findEntities(
  entities: readonly GraphEntity[],
  { filter, search, orderBy }: Query,
): GraphEntity[] {
  const found = entities.filter(
    (entity) =>
      (filter === null || matchesFilter(entity, filter)) &&
      (search === null || search === '*' || matchesSearch(entity, search)),
  );
  return orderBy === null ? found : sorted(found, orderBy);
}

function matchesSearch(entity: GraphEntity, search: string): boolean {
  const clauses = [...search.matchAll(/"?([A-Za-z]+):([^"]+)"?/g)];
  if (clauses.length === 0)
    return toText(entity['displayName'] ?? entity['name'])
      .toLowerCase()
      .includes(search.replaceAll('"', '').toLowerCase());
  return clauses.some(([, name = '', text = '']) =>
    toText(entity[name]).toLowerCase().includes(text.trim().toLowerCase()),
  );
}

function sorted(entities: readonly GraphEntity[], orderBy: string): GraphEntity[] {
  const [name = '', direction = 'asc'] = orderBy.split(',')[0]?.trim().split(/\s+/) ?? [];
  const sign = direction.toLowerCase() === 'desc' ? -1 : 1;
  return [...entities].sort((a, b) => {
    const [left, right] = [toText(a[name]), toText(b[name])];
    return sign * (left < right ? -1 : left > right ? 1 : 0);
  });
}

export const graphUrl = (tenant: Tenant): string => `${tenant.origin(GRAPH)}/v1.0`;

/** Returns the address of the cloud for an address that this app has received. */
export const linkTo = (tenant: Tenant, url: URL): string =>
  `${tenant.origin(GRAPH)}${url.pathname}${url.search}`;

/** Returns the JSON of a request's body. */
export async function readJson(request: Request): Promise<Record<string, unknown>> {
  const text = await request.text();
  if (text === '') return {};
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return body as Record<string, unknown>;
  } catch {
    // Answered below.
  }
  throw badRequest(
    'Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON format.',
  );
}

/** @throws GraphError another state than the one of `If-Match` */
export function checkIfMatch(request: Request, ...tags: readonly string[]): void {
  const wanted = request.headers.get('if-match');
  if (wanted !== null && wanted !== '*' && !tags.includes(wanted))
    throw new GraphError(412, 'preconditionFailed', "ETag does not match current item's value");
}
