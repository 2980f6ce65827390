import * as v from 'valibot';
import type { Reply } from '#contract/engine/engine.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import type { GraphResult } from '../graph/request.ts';
import { SCOPE_MARK } from '../types.ts';

/** A library, by the id of its drive, or a list. */
export interface SitePart {
  readonly kind: 'library' | 'list';
  readonly key: string;
  readonly name: string;
}

export const sitePath = (site: string): string => `/sites/${encodeURIComponent(site)}`;

/** Returns the libraries and lists of a site. */
export async function listSiteParts(client: GraphClient, site: string): Reply<readonly SitePart[]> {
  const drives = await readAll(client, `${sitePath(site)}/drives?$select=id,name`, Drive);
  if (!drives.ok) return drives;
  const lists = await readAll(client, `${sitePath(site)}/lists?$select=id,displayName,list`, List);
  if (!lists.ok) return lists;
  return {
    ok: true,
    value: [
      ...drives.value.map(({ id, name }): SitePart => ({ kind: 'library', key: id, name })),
      ...lists.value
        .filter(({ list }) => list.template !== 'documentLibrary' && list.hidden !== true)
        .map(({ id, displayName }): SitePart => ({ kind: 'list', key: id, name: displayName })),
    ],
  };
}

const Drive = v.object({ id: v.string(), name: v.nullish(v.string(), '') });
const List = v.object({
  id: v.string(),
  displayName: v.nullish(v.string(), ''),
  list: v.object({ template: v.nullish(v.string()), hidden: v.nullish(v.boolean()) }),
});

/** Reads all pages of a short list. */
export async function readAll<S extends v.GenericSchema>(
  client: GraphClient,
  path: string,
  row: S,
): Reply<readonly v.InferOutput<S>[]> {
  const rows: v.InferOutput<S>[] = [];
  for (let link: string | null = path; link !== null;) {
    const page: GraphResult<GraphPage<v.InferOutput<S>>> = await client.page(link, row);
    if (!page.ok) return { ok: false, error: page.error };
    rows.push(...page.value.rows);
    link = page.value.next;
  }
  return { ok: true, value: rows };
}

/** The library or list that an item belongs to, and its own id there. */
export function parseSitePartKey(key: string): { readonly part: string; readonly id: string } {
  const at = key.indexOf(SCOPE_MARK);
  return at < 0 ? { part: key, id: '' } : { part: key.slice(0, at), id: key.slice(at + 1) };
}
