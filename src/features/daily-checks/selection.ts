import type { CompanyN, RunN } from '#contract/ids.ts';
import type { RunsFilter, RunsView } from '#contract/runs/query.ts';

/**
 * Which runs are chosen. They are named, not counted by place, so a selection survives a refresh
 * and a new filter. The company of a run is known where its row was seen; after "all that match"
 * `companies` says how many there are.
 */
export interface Selection {
  readonly runs: ReadonlyMap<RunN, CompanyN | null>;
  /** Where a range begins: the run chosen last by itself. */
  readonly anchor: RunN | null;
  readonly companies: number | null;
  /** Keys of the groups that were chosen whole, folded or not, until a row is chosen by itself. */
  readonly groups: ReadonlySet<number | string>;
}
export interface Chosen {
  readonly n: RunN;
  readonly company: CompanyN;
}

export const NOTHING: Selection = {
  runs: new Map(),
  anchor: null,
  companies: null,
  groups: new Set(),
};

export const single = (row: Chosen): Selection => ({
  runs: new Map([[row.n, row.company]]),
  anchor: row.n,
  companies: null,
  groups: new Set(),
});

export function toggled(selection: Selection, row: Chosen): Selection {
  const runs = new Map(selection.runs);
  if (!runs.delete(row.n)) runs.set(row.n, row.company);
  return { runs, anchor: row.n, companies: null, groups: new Set() };
}

/**
 * Adds the rows of a range, anchor and end included; the anchor stays, so a range can be drawn
 * further.
 */
export function extended(selection: Selection, rows: readonly Chosen[]): Selection {
  const runs = new Map(selection.runs);
  for (const row of rows) runs.set(row.n, row.company);
  return {
    runs,
    anchor: selection.anchor ?? rows[0]?.n ?? null,
    companies: null,
    groups: selection.groups,
  };
}

/** A whole group in, or out where it was in. */
export function groupToggled(
  selection: Selection,
  key: number | string,
  members: readonly RunN[],
): Selection {
  const out =
    selection.groups.has(key) ||
    (members.length > 0 && members.every((n) => selection.runs.has(n)));
  const runs = new Map(selection.runs);
  const groups = new Set(selection.groups);
  for (const n of members)
    if (out) runs.delete(n);
    else runs.set(n, null);
  if (out) groups.delete(key);
  else groups.add(key);
  return { runs, anchor: null, companies: null, groups };
}

export const everything = (runs: readonly RunN[], companies: number | null): Selection => ({
  runs: new Map(runs.map((n) => [n, null])),
  anchor: null,
  companies,
  groups: new Set(),
});

/** How many companies, or null where it is not known. */
export function companiesOf({ runs, companies }: Selection): number | null {
  if (companies !== null) return companies;
  const seen = new Set<CompanyN>();
  for (const company of runs.values()) {
    if (company === null) return null;
    seen.add(company);
  }
  return seen.size;
}

/**
 * How many "all that match" are by now: of those listed, what has been dealt with meanwhile keeps
 * its place and is none of them.
 */
export const matchingOf = (view: RunsView | undefined, review: RunsFilter['review']): number =>
  view?.facets.review.find(({ value }) => value === review)?.count ?? view?.total ?? 0;

/** The head's box: of the rows that are listed, none, some or all are chosen. */
export const coverage = (selection: Selection, total: number): 'none' | 'some' | 'all' =>
  selection.runs.size === 0 ? 'none' : selection.runs.size >= total ? 'all' : 'some';

/** Runs of one command at most `most` long. */
export function batches(runs: readonly RunN[], most: number): readonly (readonly RunN[])[] {
  const all: (readonly RunN[])[] = [];
  for (let at = 0; at < runs.length; at += most) all.push(runs.slice(at, at + most));
  return all;
}
