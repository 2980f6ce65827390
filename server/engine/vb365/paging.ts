/** A page of a list of the server, as it answers. */
interface ServerPage {
  readonly results: readonly unknown[];
  readonly limit?: number | null | undefined;
  readonly _links?: { readonly next?: unknown } | null | undefined;
}

/** The offset of the page after this one; null: it is the last. Version 8 has no totals. */
export function getNextOffset(page: ServerPage, offset: number, limit: number): number | null {
  const { results, limit: given, _links: links } = page;
  const isMore = links?.next != null || results.length >= (given ?? limit);
  return isMore && results.length > 0 ? offset + results.length : null;
}
