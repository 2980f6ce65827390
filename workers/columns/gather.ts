import type { RunColumns } from '#contract/runs/columns.ts';
import { newestFirst } from '#contract/runs/columns.ts';
import type { Segment } from './segment.ts';
import { keyAt, getSegment } from './segment.ts';

/** A merged segment may grow to twice a page before it is split in half, to avoid tiny segments. */
export const MAX_ROWS = 32_768;

/** Rows in order: which source, and which row of it. */
interface Picks {
  readonly count: number;
  readonly source: Uint16Array;
  readonly row: Uint32Array;
}

/**
 * Merges two sorted lists of segments that may interleave into one. Of a run in both, `newer` wins,
 * unless `isIncluded` says that the one in `older` does. `older` and `newer` are each sorted.
 */
export function mergeSegments(
  older: readonly Segment[],
  newer: readonly Segment[],
  isIncluded: (n: number) => boolean,
): Segment[] {
  const sources = [...older, ...newer];
  const total = sources.reduce((sum, { rows }) => sum + rows, 0);
  const source = new Uint16Array(total);
  const row = new Uint32Array(total);
  const a = cursor(older, 0);
  const b = cursor(newer, older.length);
  let count = 0;
  const take = (from: Cursor): void => {
    source[count] = from.at + from.shift;
    row[count] = from.row;
    count += 1;
    step(from);
  };
  while (a.key || b.key) {
    const order = !a.key ? 1 : !b.key ? -1 : newestFirst(a.key, b.key);
    if (order < 0) take(a);
    else if (order > 0) take(b);
    else if (a.key && isIncluded(a.key.n)) {
      take(a);
      step(b);
    } else {
      take(b);
      step(a);
    }
  }
  const pieces = Math.max(1, Math.ceil(count / MAX_ROWS));
  const size = Math.ceil(count / pieces);
  return Array.from({ length: pieces }, (_, i) => {
    const from = i * size;
    const to = Math.min(count, from + size);
    return gather(sources, {
      count: to - from,
      source: source.subarray(from, to),
      row: row.subarray(from, to),
    });
  });
}

interface Cursor {
  readonly pieces: readonly Segment[];
  readonly shift: number;
  at: number;
  row: number;
  key: ReturnType<typeof keyAt> | null;
}

const cursor = (pieces: readonly Segment[], shift: number): Cursor => ({
  pieces,
  shift,
  at: 0,
  row: 0,
  key: pieces[0] ? keyAt(pieces[0], 0) : null,
});

function step(cursor: Cursor): void {
  cursor.row += 1;
  if (cursor.row >= (cursor.pieces[cursor.at]?.rows ?? 0)) {
    cursor.at += 1;
    cursor.row = 0;
  }
  const piece = cursor.pieces[cursor.at];
  cursor.key = piece ? keyAt(piece, cursor.row) : null;
}

function gather(sources: readonly Segment[], picks: Picks): Segment {
  const cols = sources.map((one) => one.cols);
  const u32 = (of: (c: RunColumns) => Uint32Array): Uint32Array =>
    pick(cols.map(of), picks, new Uint32Array(picks.count));
  const u16 = (of: (c: RunColumns) => Uint16Array): Uint16Array =>
    pick(cols.map(of), picks, new Uint16Array(picks.count));
  return getSegment({
    rows: picks.count,
    n: u32((c) => c.n),
    job: u32((c) => c.job),
    problem: u32((c) => c.problem),
    start: u32((c) => c.start),
    elapsed: u32((c) => c.elapsed),
    bytesLow: u32((c) => c.bytesLow),
    bytesHigh: u16((c) => c.bytesHigh),
    company: u16((c) => c.company),
    kind: u16((c) => c.kind),
    ...gatherTexts(sources, picks),
  });
}

function pick<A extends Uint32Array | Uint16Array>(
  sources: readonly A[],
  { count, source, row }: Picks,
  out: A,
): A {
  for (let i = 0; i < count; i++) out[i] = sources[source[i] ?? 0]?.[row[i] ?? 0] ?? 0;
  return out;
}

function gatherTexts(
  sources: readonly Segment[],
  { count, source, row }: Picks,
): Pick<RunColumns, 'textRow' | 'textEnd' | 'text'> {
  const encoder = new TextEncoder();
  // rows of a source come in ascending order, so one walk over its texts is enough
  const next = new Uint32Array(sources.length);
  const rows: number[] = [];
  const parts: Uint8Array[] = [];
  for (let i = 0; i < count; i++) {
    const from = source[i] ?? 0;
    const at = row[i] ?? 0;
    const segment = sources[from];
    if (!segment) continue;
    const { textRow, textEnd, text } = segment.cols;
    let t = next[from] ?? 0;
    while (t < textRow.length && (textRow[t] ?? 0) < at) t++;
    next[from] = t;
    const corrected =
      segment.changedMessages.size > 0 ? segment.changedMessages.get(at) : undefined;
    if (corrected === undefined ? textRow[t] !== at : corrected === null) continue;
    rows.push(i);
    parts.push(
      typeof corrected === 'string'
        ? encoder.encode(corrected)
        : text.subarray(t === 0 ? 0 : textEnd[t - 1], textEnd[t]),
    );
  }
  const ends = new Uint32Array(parts.length);
  const text = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  parts.forEach((part, i) => {
    text.set(part, end);
    end += part.length;
    ends[i] = end;
  });
  return { textRow: Uint32Array.from(rows), textEnd: ends, text };
}
