let last: string | null = null;

/** Returns the last visited page outside support. A support request refers to it. */
export const lastPage = (): string | null => last;
export function onPage(path: string): void {
  if (!path.split('/').includes('support')) last = path;
}
