import { RUN_STATES } from '#contract/runs/query.ts';
import type { GroupHead, RunsWindow } from '#contract/runs/query.ts';
import type { GroupCounts } from '#workers/types.ts';
import type { Grouping } from './group.ts';

/** By number of group. `worst`: the place in `RUN_STATES`. */
interface Counted {
  readonly rows: Uint32Array;
  readonly worst: Uint8Array;
  readonly jobs: Uint32Array;
  readonly companies: Uint32Array;
  readonly cleared: Uint32Array;
  readonly of: Uint32Array;
}

/** Rows of a list that stand one after the other. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
}

/**
 * The groups of a list in order, each with the rows that follow the rows of the group before it.
 */
export class Groups {
  private readonly grouping: Grouping;
  private readonly heads: Uint32Array;
  private readonly counted: Counted;
  private readonly single: readonly number[];

  /** `single`: groups that stand together under the grouping's single one. */
  constructor(grouping: Grouping, heads: Uint32Array, counted: Counted, single: readonly number[]) {
    this.grouping = grouping;
    this.heads = heads;
    this.counted = counted;
    this.single = single;
  }

  /** What stands in a window of lines, where the rows of some groups are folded away. */
  lines(
    { first, count }: RunsWindow,
    folded: readonly (number | string)[],
  ): { readonly count: number; readonly heads: GroupHead[]; readonly rows: Stretch[] } {
    const from = Math.max(0, first);
    const to = from + Math.max(0, count);
    const away = new Set(folded.map((key) => this.grouping.groupOf(key)));
    const heads: GroupHead[] = [];
    const stretches: Stretch[] = [];
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
   * What a head counts; of a group that is not in the list only how far its problems are dealt
   * with, where they were counted.
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
