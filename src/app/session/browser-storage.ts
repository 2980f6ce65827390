/**
 * Small choices of this browser, such as the theme. Never data: that is the worker's. A closed
 * storage is an empty one.
 */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Null forgets. */
export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Not kept: the choice holds until the page is closed.
  }
}
