let last: string | null = null;

/** Where somebody was last that is no page of support: what a request is about. */
export const lastPage = (): string | null => last;
export function onPage(path: string): void {
  if (!path.startsWith('/monitoring/support/')) last = path;
}
