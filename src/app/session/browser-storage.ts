/**
 * Reads a small preference of this browser, such as the theme. Application data is stored by the
 * worker only. If the storage is blocked, it counts as empty.
 */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a preference; null removes it. */
export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // The storage is full or blocked: the preference lasts until the page is closed.
  }
}
