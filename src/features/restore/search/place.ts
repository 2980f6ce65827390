import { SESSION_TYPES } from '#contract/restore/sessions.ts';

/** A search over all restore points, as the address has it. */
export interface SearchPlace {
  readonly text: string;
  /** Only this service; null: all. */
  readonly sessionType: (typeof SESSION_TYPES)[number] | null;
  /** Only what was deleted, or only what wasn't; null: both. */
  readonly deleted: boolean | null;
}
export const NEW_SEARCH: SearchPlace = { text: '', sessionType: null, deleted: null };
export const MAX_SEARCH_CHARS = 100;

/** Null: no search is open. */
export function readSearch(params: URLSearchParams): SearchPlace | null {
  const text = params.get('search');
  if (text === null) return null;
  const gone = params.get('gone');
  return {
    text: text.slice(0, MAX_SEARCH_CHARS),
    sessionType: SESSION_TYPES.find((type) => type === params.get('in')) ?? null,
    deleted: gone === 'true' ? true : gone === 'false' ? false : null,
  };
}

export function writeSearch(
  params: URLSearchParams,
  { text, sessionType, deleted }: SearchPlace,
): void {
  params.set('search', text);
  if (sessionType !== null) params.set('in', sessionType);
  if (deleted !== null) params.set('gone', String(deleted));
}
