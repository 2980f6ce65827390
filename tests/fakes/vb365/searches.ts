import type { Details } from '#tests/server/outbound/listen.ts';
import type { ApiParts } from './restore-api.ts';
import { getSiteRow } from './restore-bodies.ts';
import type { Vb365Object, Vb365RestoreSession } from './restore-state.ts';
import type { Row } from './rows.ts';
import { isBelow } from './saves.ts';
import { uid } from './state.ts';

// Searches in restore sessions, as the documents of the API describe them.

const MAX_ROWS = 10_000;
const DEFAULT_ROWS = 30;

/** A page of what was found. The set of a search is named, and its later pages may name it. */
export function listFound(
  { version, answered, refused }: ApiParts,
  rows: readonly Row[],
  query: URLSearchParams,
  names: string,
): Details {
  const unknown = [...query.keys()].find((name) => !names.split(' ').includes(name));
  if (unknown !== undefined) return refused(`Unknown parameter: ${unknown}.`);
  const limit = Number(query.get('limit') ?? DEFAULT_ROWS);
  const offset = Number(query.get('offset') ?? 0);
  if (!(limit >= 1 && limit <= MAX_ROWS && offset >= 0)) return refused('Out of range.');
  const set = uid('set of a search');
  if ((query.get('setId') ?? set) !== set) return refused('There is no such set.');
  return answered({
    offset,
    limit,
    setId: set,
    ...(version === 'v7' && { totalCount: rows.length }),
    results: rows.slice(offset, offset + limit),
  });
}

const TEXT_FIELDS = ['subject', 'name', 'title', 'displayName', 'from', 'to', 'author'];
/**
 * Whether a row answers a query: terms that all must be there, as words, or as phrases in quotation
 * marks; `OR` and `NOT` between them; `field:value`.
 */
export function isFound(query: string, row: Row): boolean {
  const terms = [...query.matchAll(/"([^"]*)"|(\S+)/g)];
  let isAny = false;
  let isNot = false;
  const results = terms.flatMap(([, phrase, word = '']) => {
    if (phrase === undefined && word === 'AND') return [];
    if (phrase === undefined && word === 'OR') {
      isAny = true;
      return [];
    }
    if (phrase === undefined && word === 'NOT') {
      isNot = true;
      return [];
    }
    const at = phrase === undefined ? word.indexOf(':') : -1;
    const text = (phrase ?? word.slice(at + 1)).toLowerCase();
    const fields = (at < 0 ? TEXT_FIELDS : [word.slice(0, at)]).map((name) => row[name]);
    const has = fields.some((one) => typeof one === 'string' && one.toLowerCase().includes(text));
    const result = isNot ? !has : has;
    isNot = false;
    return [result];
  });
  return isAny ? results.some(Boolean) : results.every(Boolean);
}

/** Without a query, and with broken ones, the server has an error. */
export const getQueryProblem = ({ query }: Row): string | null =>
  typeof query === 'string' && query !== '' && (query.split('"').length - 1) % 2 === 0
    ? null
    : 'The query is wrong.';

interface SearchParts extends ApiParts {
  readonly session: Vb365RestoreSession;
  readonly object: Vb365Object | null;
  /** After the object, with `search`. */
  readonly tail: readonly string[];
}

/** Answers a search of a mailbox, drive or site, or of a folder, library or list of one. */
export function answerSearch(parts: SearchParts, body: Row, query: URLSearchParams): Details {
  const { object, tail, session, version, notFound, refused } = parts;
  const [list = '', id = ''] = tail.length === 3 ? tail : [];
  const published =
    object?.list === 'sites' ? ['', 'folders', 'libraries', 'lists'] : ['', 'folders'];
  if (object === null || tail.length === 2 || tail.length > 3) return notFound();
  if (!published.includes(list.toLowerCase())) return notFound();
  if (list !== '' && !object.folders.some((one) => one.id === id)) return notFound();
  const problem = getQueryProblem(body);
  if (problem !== null || Object.keys(body).length > 1) return refused(problem ?? 'Wrong body.');
  const type = query.get('itemType') ?? 'All';
  const words =
    object.list === 'sites' ? ['All', 'Folders', 'Items'] : ['All', 'Folders', 'Documents'];
  if (!words.includes(type)) return refused('Wrong type of items.');
  const own =
    object.list === 'mailboxes' ? 'mailboxId' : object.list === 'sites' ? 'siteId' : 'oneDriveId';
  const inV8 = version === 'v8' ? { [own]: object.id } : {};
  const rows = object.items
    .filter(
      ({ from, folderId }) =>
        from <= session.dateTime && (list === '' || isBelow(object, folderId, id)),
    )
    .map((item) => ({
      id: item.id,
      ...(object.list === 'sites' ? getSiteRow(item.row) : item.row),
      ...inV8,
    }));
  const folders =
    type === 'All' && object.list !== 'mailboxes'
      ? object.folders.map((one) => ({
          id: one.id,
          name: one.name,
          createdBy: '',
          creationTime: new Date(0).toISOString(),
          modifiedBy: '',
          modificationTime: new Date(0).toISOString(),
          isFolder: true,
        }))
      : [];
  const found = [...folders, ...rows].filter((row) => isFound(String(body['query']), row));
  const names = `offset limit setId${object.list === 'mailboxes' ? '' : ' itemType'}`;
  return listFound(parts, found, query, names);
}
