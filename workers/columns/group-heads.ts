import { RUN_STATES } from '#contract/runs/query.ts';
import type { GroupHead, RunsWindow } from '#contract/runs/query.ts';
import type { GroupCounts } from '#workers/types.ts';
import type { Grouping } from './group.ts';

/** By group number. `worst`: the index in `RUN_STATES`. */
interface Counted {
  readonly rows: Uint32Array;
  readonly worst: Uint8Array;
  readonly jobs: Uint32Array;
  readonly companies: Uint32Array;
  readonly cleared: Uint32Array;
  readonly of: Uint32Array;
}

/** Consecutive rows of a list. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** The groups of a list in order. The rows of each follow those of the previous group. */
export class Groups {
  private readonly grouping: Grouping;
  private readonly heads: Uint32Array;
  private readonly counted: Counted;
  private readonly single: readonly number[];

  /** `single`: groups that are shown together under the grouping's group of single causes. */
  constructor(grouping: Grouping, heads: Uint32Array, counted: Counted, single: readonly number[]) {
    this.grouping = grouping;
    this.heads = heads;
    this.counted = counted;
    this.single = single;
  }

  /** Returns the heads and rows in a window of lines, with some groups collapsed. */
  lines(
    { first, count }: RunsWindow,
    folded: readonly (number | string)[],
  ): { readonly count: number; readonly heads: GroupHead[]; readonly rows: RowRange[] } {
    const from = Math.max(0, first);
    const to = from + Math.max(0, count);
    const away = new Set(folded.map((key) => this.grouping.groupOf(key)));
    const heads: GroupHead[] = [];
    const stretches: RowRange[] = [];
    let line = 0;
    let row = 0;
    for (let head = 0; head < this.heads.length; head++) {
      const group = this.heads[head] ?? 0;
      const rows = this.counted.rows[group] ?? 0;
      const isFolded = away.has(group);
      const last = line + 1 + (isFolded ? 0 : rows);
      if (line < to && last > from) {
        if (line >= from) heads.push(this.headOf(group, line, isFolded));
        const begins = Math.max(from, line + 1);
        const ends = Math.min(to, last);
        if (begins < ends)
          stretches.push({ first: row + begins - line - 1, last: row + ends - line - 1 });
      }
      row += rows;
      line = last;
    }
    return { count: line, heads, rows: stretches };
  }

  /**
   * Returns the counts of a head. For a group that is not in the list, only its progress, if that
   * was counted.
   */
  counts(key: number | string): GroupCounts {
    const { rows, worst, jobs, companies, cleared, of } = this.counted;
    const group = this.grouping.groupOf(key) ?? this.grouping.span;
    const state = RUN_STATES[worst[group] ?? RUN_STATES.length];
    return {
      rows: rows[group] ?? 0,
      jobs: jobs[group] ?? 0,
      companies: companies[group] ?? 0,
      ...(state && { worst: state }),
      progress: { cleared: cleared[group] ?? 0, of: of[group] ?? 0 },
    };
  }

  private headOf(group: number, line: number, folded: boolean): GroupHead {
    const key = this.grouping.keyOf(group);
    return {
      worst: 'Success',
      ...this.counts(key),
      line,
      key,
      title: this.grouping.titleOf(group),
      folded,
      ...(group === this.grouping.single && { causes: this.single }),
    };
  }
}
