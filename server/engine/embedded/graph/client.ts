import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import { APP_VERSION } from '#contract/app-version.ts';
import { graphUrl } from './clouds.ts';
import { readResponseBytes, readResponseJson, sendRequest, skipBody } from './request.ts';
import type { GraphPorts, GraphRequest, GraphResult, GraphScope } from './request.ts';
import { graphMessages as t } from './messages.en.ts';
import { done, failed } from '../../result.ts';

/** Large pages and exports of twenty items stay below this. */
const MAX_JSON_BYTES: Bytes = 64 * 1_048_576;

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  /** The request changes nothing, or may be sent twice without harm, although it is a POST. */
  readonly isRepeatable?: boolean;
}

/**
 * One page of a list. `next`: the link to the page after it; `delta`: where changes continue later.
 */
export interface GraphPage<T> {
  readonly rows: readonly T[];
  readonly next: string | null;
  readonly delta: string | null;
}

/** Requests to Graph, for one scope. Paths begin with `/`; links are those of responses. */
export interface GraphClient {
  readonly ports: GraphPorts;
  readonly scope: GraphScope;
  get<S extends v.GenericSchema>(
    path: string,
    schema: S,
    options?: Options,
  ): Promise<GraphResult<v.InferOutput<S>>>;
  post<S extends v.GenericSchema>(
    path: string,
    body: unknown,
    schema: S,
    options?: Options,
  ): Promise<GraphResult<v.InferOutput<S>>>;
  patch<S extends v.GenericSchema>(
    path: string,
    body: unknown,
    schema: S,
    options?: Options,
  ): Promise<GraphResult<v.InferOutput<S>>>;
  putBytes<S extends v.GenericSchema>(
    path: string,
    body: Uint8Array<ArrayBuffer>,
    schema: S,
    options?: Options,
  ): Promise<GraphResult<v.InferOutput<S>>>;
  /** Something that no longer exists counts as deleted. */
  delete(path: string, options?: Options): Promise<GraphResult<void>>;
  /** A page of a list or of changes. `row` checks each row. */
  page<S extends v.GenericSchema>(
    pathOrLink: string,
    row: S,
    options?: Options,
  ): Promise<GraphResult<GraphPage<v.InferOutput<S>>>>;
  /** A small content, such as a mail, in memory. */
  bytes(path: string, maxBytes: Bytes, options?: Options): Promise<GraphResult<Uint8Array>>;
  /** The link to content that Graph redirects to. */
  location(path: string): Promise<GraphResult<string>>;
}

/** `ISV|Company|Product/version`: traffic with it is throttled later. */
export const userAgent = (company: string): string =>
  `ISV|${
    company
      .replace(/[^\w .&-]/g, '')
      .trim()
      .slice(0, 60) || 'Daybook'
  }|Daybook/${APP_VERSION}`;

export function graphClient(ports: GraphPorts, scope: GraphScope): GraphClient {
  const send = async <T>(
    pathOrLink: string,
    request: Omit<GraphRequest<T>, 'url' | 'signed'>,
  ): Promise<GraphResult<T>> => {
    const url = graphUrl(ports.cloud, pathOrLink);
    return url === null
      ? failed('refused', t.foreignLink)
      : sendRequest(ports, scope, { ...request, url, signed: true });
  };
  const sendJson = <S extends v.GenericSchema>(
    method: 'POST' | 'PATCH',
    path: string,
    body: unknown,
    schema: S,
    { headers, isRepeatable = method === 'PATCH' }: Options = {},
  ): Promise<GraphResult<v.InferOutput<S>>> =>
    send(path, {
      method,
      isRepeatable,
      body: JSON.stringify(body),
      headers: { 'accept': JSON_TYPE, 'content-type': JSON_TYPE, ...headers },
      read: (response, onPiece) => readResponseJson(response, schema, MAX_JSON_BYTES, onPiece),
    });
  const getJson = <S extends v.GenericSchema>(
    pathOrLink: string,
    schema: S,
    { headers }: Options = {},
  ): Promise<GraphResult<v.InferOutput<S>>> =>
    send(pathOrLink, {
      method: 'GET',
      isRepeatable: true,
      headers: { accept: JSON_TYPE, ...headers },
      read: (response, onPiece) => readResponseJson(response, schema, MAX_JSON_BYTES, onPiece),
    });
  return {
    ports,
    scope,
    get: getJson,
    post: (path, body, schema, options) => sendJson('POST', path, body, schema, options),
    patch: (path, body, schema, options) => sendJson('PATCH', path, body, schema, options),
    putBytes: (path, body, schema, { headers = {}, isRepeatable = false } = {}) =>
      send(path, {
        method: 'PUT',
        isRepeatable,
        body,
        headers: { 'accept': JSON_TYPE, 'content-type': 'application/octet-stream', ...headers },
        read: (response, onPiece) => readResponseJson(response, schema, MAX_JSON_BYTES, onPiece),
      }),
    async delete(path, { headers = {} } = {}) {
      const result = await send<void>(path, {
        method: 'DELETE',
        isRepeatable: true,
        headers,
        read: async () => done,
      });
      return !result.ok && result.error.kind === 'missing' ? done : result;
    },
    async page(pathOrLink, row, options) {
      const result = await getJson(pathOrLink, getPage(row), options);
      return result.ok ? { ok: true, value: getRows(result.value) } : result;
    },
    bytes: (path, maxBytes, { headers = {} } = {}) =>
      send<Uint8Array>(path, {
        method: 'GET',
        isRepeatable: true,
        headers,
        async read(response, onPiece) {
          const bytes = await readResponseBytes(response, maxBytes, onPiece);
          return bytes === null ? failed('invalid', t.itemTooLarge) : { ok: true, value: bytes };
        },
      }),
    location: (path) =>
      send<string>(path, {
        method: 'GET',
        isRepeatable: true,
        accepts: [301, 302, 307, 308],
        async read(response): Promise<EngineResult<string>> {
          await skipBody(response);
          const link = response.headers.get('location');
          return link === null ? failed('internal', t.unreadable) : { ok: true, value: link };
        },
      }),
  };
}

const JSON_TYPE = 'application/json';

const getPage = <S extends v.GenericSchema>(row: S) =>
  v.object({
    'value': v.array(row),
    '@odata.nextLink': v.optional(v.string()),
    '@odata.deltaLink': v.optional(v.string()),
  });

const getRows = <T>(page: {
  readonly 'value': readonly T[];
  readonly '@odata.nextLink'?: string | undefined;
  readonly '@odata.deltaLink'?: string | undefined;
}): GraphPage<T> => ({
  rows: page.value,
  next: page['@odata.nextLink'] ?? null,
  delta: page['@odata.deltaLink'] ?? null,
});

/** Reads a page that a batch returned. */
export function parsePage<S extends v.GenericSchema>(
  body: unknown,
  row: S,
): GraphResult<GraphPage<v.InferOutput<S>>> {
  const read = v.safeParse(getPage(row), body, { abortEarly: true });
  return read.success
    ? { ok: true, value: getRows(read.output) }
    : failed('internal', t.unreadable);
}
