import type { CompanyN, RunN } from '#contract/ids.ts';

/**
 * Which runs are chosen. They are named, not counted by place, so a selection survives a refresh and a new filter. The company of a run
 * is known where its row was seen; after "all that match" `companies` says how many there are.
 */
export interface Selection {
  readonly runs: ReadonlyMap<RunN, CompanyN | null>;
  /** Where a range begins: the run chosen last by itself. */
  readonly anchor: RunN | null;
  readonly companies: number | null;
}
export interface Chosen { readonly n: RunN; readonly company: CompanyN }

export const NOTHING: Selection = { runs: new Map(), anchor: null, companies: null };

export const single = (row: Chosen): Selection => ({ runs: new Map([[row.n, row.company]]), anchor: row.n, companies: null });

export function toggled(selection: Selection, row: Chosen): Selection {
  const runs = new Map(selection.runs);
  if (!runs.delete(row.n)) runs.set(row.n, row.company);
  return { runs, anchor: row.n, companies: null };
}

/** Adds the rows of a range, anchor and end included; the anchor stays, so a range can be drawn further. */
export function extended(selection: Selection, rows: readonly Chosen[]): Selection {
  const runs = new Map(selection.runs);
  for (const row of rows) runs.set(row.n, row.company);
  return { runs, anchor: selection.anchor ?? rows[0]?.n ?? null, companies: null };
}

export const everything = (runs: readonly RunN[], companies: number | null): Selection =>
  ({ runs: new Map(runs.map((n) => [n, null])), anchor: null, companies });

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

/** The head's box: of the rows that are listed, none, some or all are chosen. */
export const coverage = (selection: Selection, total: number): 'none' | 'some' | 'all' =>
  selection.runs.size === 0 ? 'none' : selection.runs.size >= total ? 'all' : 'some';

/** Runs of one command at most `most` long. */
export function batches(runs: readonly RunN[], most: number): readonly (readonly RunN[])[] {
  const all: (readonly RunN[])[] = [];
  for (let at = 0; at < runs.length; at += most) all.push(runs.slice(at, at + most));
  return all;
}
