import type { Details } from '#tests/server/outbound/listen.ts';
import type { ApiParts } from './restore-api.ts';
import { getSiteRow } from './restore-bodies.ts';
import type { Vb365ItemVersion, Vb365Object } from './restore-state.ts';
import type { Row } from './rows.ts';
import { listFound } from './searches.ts';

// Earlier versions of files and rows, as the documents of the API describe them.

interface VersionParts extends ApiParts {
  readonly object: Vb365Object;
  /** After the object. */
  readonly tail: readonly string[];
}

/** Answers the earlier versions of a file or a row, or one of them. The present one is not listed. */
export function listVersions(parts: VersionParts, query: URLSearchParams): Details {
  const { object, tail, version, answered, notFound } = parts;
  const [list = '', id = '', , one] = tail;
  const isRow = list.toLowerCase() === 'items';
  if (object.list === 'mailboxes' || (isRow && object.list !== 'sites')) return notFound();
  const item = object.items.find((row) => row.id === id && 'title' in row.row === isRow);
  if (item === undefined || tail.length > 4) return notFound();
  const own = object.list === 'sites' ? 'siteId' : 'oneDriveId';
  const rows = (item.versions ?? []).map((earlier): Row => {
    const row = {
      id,
      ...item.row,
      ...(!isRow && { sizeBytes: earlier.bytes.byteLength }),
      version: earlier.version,
      versionId: earlier.versionId,
      modificationTime: new Date(earlier.at).toISOString(),
      ...(version === 'v8' && { [own]: object.id }),
    };
    return object.list === 'sites' ? getSiteRow(row) : row;
  });
  if (one === undefined) return listFound(parts, rows, query, 'offset limit');
  const found = rows.find((row) => String(row['versionId']) === one);
  return found === undefined ? notFound() : answered(found);
}

/** The version that the path of a command names. Null: it names none; undefined: there is none such. */
export function findVersion(
  object: Vb365Object,
  path: readonly string[],
): Vb365ItemVersion | null | undefined {
  const [, id, word, version] = path;
  if (word?.toLowerCase() !== 'versions' || path.length !== 5) return null;
  return object.items
    .find((item) => item.id === id)
    ?.versions?.find((one) => String(one.versionId) === version);
}
