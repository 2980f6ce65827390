import type { CompanyN, RunN } from '#contract/ids.ts';
import type { RunsFilter, RunsView } from '#contract/runs/query.ts';

/**
 * The selected runs by id, so that a selection survives a refresh or another filter. The company of
 * a run is known if its row was loaded; after "select all", `companies` is the number of companies.
 */
export interface SelectedRuns {
  readonly runs: ReadonlyMap<RunN, CompanyN | null>;
  /** Start of a range: the run that was last selected individually. */
  readonly anchor: RunN | null;
  readonly companies: number | null;
  /** Keys of groups that were selected as a whole, until a row is selected individually. */
  readonly groups: ReadonlySet<number | string>;
}
export interface SelectedRun {
  readonly n: RunN;
  readonly company: CompanyN;
}

export const NO_SELECTION: SelectedRuns = {
  runs: new Map(),
  anchor: null,
  companies: null,
  groups: new Set(),
};

export const single = (row: SelectedRun): SelectedRuns => ({
  runs: new Map([[row.n, row.company]]),
  anchor: row.n,
  companies: null,
  groups: new Set(),
});

export function toggled(selection: SelectedRuns, row: SelectedRun): SelectedRuns {
  const runs = new Map(selection.runs);
  if (!runs.delete(row.n)) runs.set(row.n, row.company);
  return { runs, anchor: row.n, companies: null, groups: new Set() };
}

/**
 * Adds the rows of a range, anchor and end included. The anchor stays, so that the range can be
 * extended.
 */
export function extended(selection: SelectedRuns, rows: readonly SelectedRun[]): SelectedRuns {
  const runs = new Map(selection.runs);
  for (const row of rows) runs.set(row.n, row.company);
  return {
    runs,
    anchor: selection.anchor ?? rows[0]?.n ?? null,
    companies: null,
    groups: selection.groups,
  };
}

/** Adds a whole group, or removes it if it was selected. */
export function groupToggled(
  selection: SelectedRuns,
  key: number | string,
  members: readonly RunN[],
): SelectedRuns {
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

export const everything = (runs: readonly RunN[], companies: number | null): SelectedRuns => ({
  runs: new Map(runs.map((n) => [n, null])),
  anchor: null,
  companies,
  groups: new Set(),
});

/** Returns the number of companies, or null if unknown. */
export function getCompanies({ runs, companies }: SelectedRuns): number | null {
  if (companies !== null) return companies;
  const seen = new Set<CompanyN>();
  for (const company of runs.values()) {
    if (company === null) return null;
    seen.add(company);
  }
  return seen.size;
}

/**
 * Returns how many rows "select all" selects. Rows that were cleared meanwhile stay listed but do
 * not count.
 */
export const countMatching = (view: RunsView | undefined, review: RunsFilter['review']): number =>
  view?.facets.review.find(({ value }) => value === review)?.count ?? view?.total ?? 0;

/** State of the header's checkbox: none, some or all of the listed rows are selected. */
export const coverage = (selection: SelectedRuns, total: number): 'none' | 'some' | 'all' =>
  selection.runs.size === 0 ? 'none' : selection.runs.size >= total ? 'all' : 'some';

/** Splits runs into batches of at most `most`. */
export function batches(runs: readonly RunN[], max: number): readonly (readonly RunN[])[] {
  const all: (readonly RunN[])[] = [];
  for (let at = 0; at < runs.length; at += max) all.push(runs.slice(at, at + max));
  return all;
}
