/** Caches pages up to a number of bytes, and drops the least recently used first. */
export function makePageCache(mostBytes: number) {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>();
  let bytes = 0;
  return {
    get(key: string): Uint8Array<ArrayBuffer> | undefined {
      const page = kept.get(key);
      if (page) {
        kept.delete(key);
        kept.set(key, page);
      }
      return page;
    },
    put(key: string, page: Uint8Array<ArrayBuffer>): void {
      if (page.length > mostBytes / 4 || kept.has(key)) return;
      kept.set(key, page);
      bytes += page.length;
      for (const [old, { length }] of kept) {
        if (bytes <= mostBytes) break;
        kept.delete(old);
        bytes -= length;
      }
    },
  };
}
