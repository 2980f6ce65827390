/** A line of two texts beside each other. Null: it isn't in this one. */
export interface LinePair {
  readonly before: string | null;
  readonly after: string | null;
  readonly isSame: boolean;
}
/** Lines that are the same in both and far from any change. */
export interface Gap {
  readonly count: number;
}
interface Line {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Lines around a change that are shown. */
const CONTEXT = 3;

/** Puts removed lines beside the added ones that follow them, and folds what is far from a change. */
export function pairLines(lines: readonly Line[]): readonly (LinePair | Gap)[] {
  const pairs: LinePair[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line?.kind === 'same') {
      pairs.push({ before: line.text, after: line.text, isSame: true });
      at += 1;
      continue;
    }
    const end = lines.findIndex(({ kind }, index) => index > at && kind === 'same');
    const changed = lines.slice(at, end < 0 ? lines.length : end);
    const removed = changed.filter(({ kind }) => kind === 'removed');
    const added = changed.filter(({ kind }) => kind === 'added');
    for (let n = 0; n < Math.max(removed.length, added.length); n += 1)
      pairs.push({
        before: removed[n]?.text ?? null,
        after: added[n]?.text ?? null,
        isSame: false,
      });
    at += changed.length;
  }
  return foldSame(pairs);
}

function foldSame(pairs: readonly LinePair[]): readonly (LinePair | Gap)[] {
  const isNear = pairs.map((_, at) =>
    pairs.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ isSame }) => !isSame),
  );
  const out: (LinePair | Gap)[] = [];
  for (const [at, pair] of pairs.entries()) {
    const last = out.at(-1);
    if (isNear[at] === true) out.push(pair);
    else if (last !== undefined && 'count' in last) out[out.length - 1] = { count: last.count + 1 };
    else out.push({ count: 1 });
  }
  return out;
}
