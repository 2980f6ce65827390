import type { RunColumns } from '#contract/runs/columns.ts';
import { viewColumns } from '#contract/runs/columns.ts';

/**
 * Returns the pages of a day as `getDayRuns` frames them: u32 length, little-endian, then that many
 * bytes, repeated. Throws a RangeError for any other format.
 */
export function pagesIn(buffer: ArrayBuffer): RunColumns[] {
  const view = new DataView(buffer);
  const pages: RunColumns[] = [];
  for (let at = 0; at < buffer.byteLength;) {
    const length = view.getUint32(at, true);
    const from = at + 4;
    if (from + length > buffer.byteLength) throw new RangeError('frames: cut short');
    // its own buffer: aligned, and stored on disk as it is
    pages.push(viewColumns(buffer.slice(from, from + length)));
    at = from + length;
  }
  return pages;
}
