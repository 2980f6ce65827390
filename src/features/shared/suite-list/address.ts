/** State in the address of a list of the cloud suite. `open`: the id of the open entry. */
export interface ListPlace {
  readonly text: string;
  readonly open: string | null;
  readonly tab: string | null;
}

/** Parses any query. */
export function listPlace(query: string): ListPlace {
  const params = new URLSearchParams(query);
  const open = (params.get('open') ?? '').slice(0, 200);
  return {
    text: (params.get('q') ?? '').slice(0, 100),
    open: open === '' ? null : open,
    tab: params.get('tab'),
  };
}

export function suiteListAddress(path: string, { text, open, tab }: ListPlace): string {
  const params = new URLSearchParams();
  if (tab !== null) params.set('tab', tab);
  if (text !== '') params.set('q', text);
  if (open !== null) params.set('open', open);
  const query = params.toString();
  return query === '' ? path : `${path}?${query}`;
}
