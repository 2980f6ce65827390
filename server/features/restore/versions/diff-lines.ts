/** A line of a comparison: in both texts, or only in the one before or after. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/**
 * Returns the lines of two texts in order, with the fewest that are only in one of them; null: the
 * texts have more than `maxChanges` such lines. Myers, "An O(ND) Difference Algorithm" (1986).
 */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  maxChanges: number,
): readonly DiffLine[] | null {
  const start = countEqual(before, after, (at) => at);
  const end = countEqual(before.slice(start), after.slice(start), (at, length) => length - 1 - at);
  const a = before.slice(start, before.length - end);
  const b = after.slice(start, after.length - end);
  const middle = diffMiddle(a, b, maxChanges);
  if (middle === null) return null;
  return [
    ...before.slice(0, start).map(toSame),
    ...middle,
    ...before.slice(before.length - end).map(toSame),
  ];
}

const toSame = (text: string): DiffLine => ({ kind: 'same', text });

/** How many lines are the same from one end. */
function countEqual(
  a: readonly string[],
  b: readonly string[],
  getIndex: (at: number, length: number) => number,
): number {
  const max = Math.min(a.length, b.length);
  let at = 0;
  while (at < max && a[getIndex(at, a.length)] === b[getIndex(at, b.length)]) at += 1;
  return at;
}

/** On each diagonal, how far the best path with this many changes comes. */
type Reach = ReadonlyMap<number, number>;

function diffMiddle(
  a: readonly string[],
  b: readonly string[],
  maxChanges: number,
): readonly DiffLine[] | null {
  const steps: Reach[] = [];
  let reach: Reach = new Map([[1, 0]]);
  for (let changes = 0; changes <= Math.min(maxChanges, a.length + b.length); changes += 1) {
    const next = new Map<number, number>();
    steps.push(reach);
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = isDown(reach, diagonal, changes)
        ? (reach.get(diagonal + 1) ?? 0)
        : (reach.get(diagonal - 1) ?? 0) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return walkBack(a, b, steps);
    }
    reach = next;
  }
  return null;
}

const isDown = (reach: Reach, diagonal: number, changes: number): boolean =>
  diagonal === -changes ||
  (diagonal !== changes && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1));

function walkBack(
  a: readonly string[],
  b: readonly string[],
  steps: readonly Reach[],
): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let x = a.length;
  let y = b.length;
  for (let changes = steps.length - 1; changes >= 0; changes -= 1) {
    const reach = steps[changes] ?? new Map<number, number>();
    const diagonal = x - y;
    const from = isDown(reach, diagonal, changes) ? diagonal + 1 : diagonal - 1;
    const fromX = reach.get(from) ?? 0;
    const fromY = fromX - from;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      x -= 1;
      y -= 1;
      lines.push({ kind: 'same', text: a[x] ?? '' });
    }
    if (changes === 0) break;
    if (x === fromX) {
      y -= 1;
      lines.push({ kind: 'added', text: b[y] ?? '' });
    } else {
      x -= 1;
      lines.push({ kind: 'removed', text: a[x] ?? '' });
    }
  }
  return lines.toReversed();
}
