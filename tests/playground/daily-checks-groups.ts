import { RUN_STATES, SINGLE_CAUSES } from '#contract/runs/query.ts';
import type { GroupHead, RunsFilter, RunState, RunsWindow, RunView } from '#contract/runs/query.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function getValue(
  row: RunView,
  order: Exclude<RunsFilter['order'], 'newest' | 'worst'>,
): string | number | null {
  switch (order) {
    case 'company':
      return row.companyName;
    case 'job':
      return row.jobName;
    case 'computer':
      return row.computer;
    case 'duration':
      return row.durationSec;
    case 'bytes':
      return row.bytes;
    case 'lastGood':
      return row.lastGoodAt;
    case 'streak':
      return row.problem?.day ?? null;
    case 'cause':
      return row.template;
    case 'source':
      return SOURCE_NAMES[row.source];
    case 'ticket':
      return row.problem?.ticket ?? null;
  }
}

const none = (value: string | number | null): boolean => value === null || value === '';

/**
 * Rows that come newest first, in the order asked for; those without a value last, either way
 * round.
 */
export function arranged<R>(
  rows: readonly R[],
  { order, reverse }: RunsFilter,
  getState: (row: R) => RunState,
  getView: (row: R) => RunView,
): readonly R[] {
  if (order === 'newest') return reverse ? rows.toReversed() : rows;
  const valued = rows.map((row) => ({
    row,
    value: order === 'worst' ? RUN_STATES.indexOf(getState(row)) : getValue(getView(row), order),
  }));
  return valued
    .sort(({ value: a }, { value: b }) => {
      if (none(a) || none(b)) return Number(none(a)) - Number(none(b));
      return (
        (reverse ? -1 : 1) *
        (typeof a === 'number' && typeof b === 'number'
          ? a - b
          : names.compare(String(a), String(b)))
      );
    })
    .map(({ row }) => row);
}

const getOwnKey = (row: RunView, group: RunsFilter['group']): number | string =>
  group === 'company'
    ? row.company
    : group === 'job'
      ? row.job
      : group === 'cause'
        ? (row.problem?.cause ?? 0)
        : row.computer;
const getTitle = (row: RunView, group: RunsFilter['group']): string =>
  group === 'company'
    ? row.companyName
    : group === 'job'
      ? row.jobName
      : group === 'cause'
        ? (row.template ?? '')
        : row.computer;

/**
 * The lines of a list. `problems`: rows of the same list that have a problem, of any review state.
 */
export function getLines<R>(
  rows: readonly R[],
  problems: readonly R[],
  { group }: RunsFilter,
  folded: readonly (number | string)[],
  window: RunsWindow,
  getView: (row: R) => RunView,
): { readonly lines: number; readonly heads: readonly GroupHead[]; readonly rows: readonly R[] } {
  const last = window.first + window.count;
  if (group === null)
    return { lines: rows.length, heads: [], rows: rows.slice(window.first, last) };
  const jobs = new Map<number, Set<number>>();
  for (const { job, problem } of [...rows, ...problems].map(getView))
    if (problem) jobs.set(problem.cause, (jobs.get(problem.cause) ?? new Set()).add(job));
  const isSingle = ({ problem }: RunView): boolean =>
    group === 'cause' && problem !== null && jobs.get(problem.cause)?.size === 1;
  const getKey = (view: RunView): number | string =>
    isSingle(view) ? SINGLE_CAUSES : getOwnKey(view, group);
  const causes = [...jobs]
    .filter(([, those]) => those.size === 1)
    .map(([cause]) => cause)
    .sort((a, b) => a - b);
  const behind = (key: number | string): number =>
    group !== 'cause' ? 0 : key === SINGLE_CAUSES ? 1 : key === 0 ? 2 : 0;
  const groups = new Map<
    number | string,
    { readonly rows: R[]; readonly views: RunView[]; cleared: number; of: number }
  >();
  for (const row of rows) {
    const view = getView(row);
    const key = getKey(view);
    const own = groups.get(key) ?? { rows: [], views: [], cleared: 0, of: 0 };
    own.rows.push(row);
    own.views.push(view);
    groups.set(key, own);
  }
  for (const row of problems) {
    const view = getView(row);
    const own = groups.get(getKey(view));
    if (!own) continue;
    own.of += 1;
    if (view.review !== 'pending') own.cleared += 1;
  }
  const all = [...groups]
    .map(([key, { rows: own, views, cleared, of }]) => ({
      rows: own,
      head: {
        key,
        title: views[0] && key !== SINGLE_CAUSES ? getTitle(views[0], group) : '',
        rows: own.length,
        jobs: new Set(views.map(({ job }) => job)).size,
        companies: new Set(views.map(({ company }) => company)).size,
        worst: RUN_STATES.find((state) => views.some((view) => view.state === state)) ?? 'Success',
        progress: { cleared, of },
        folded: folded.includes(key),
        ...(key === SINGLE_CAUSES && { causes }),
      },
    }))
    .sort(
      ({ head: a }, { head: b }) =>
        behind(a.key) - behind(b.key) ||
        RUN_STATES.indexOf(a.worst) - RUN_STATES.indexOf(b.worst) ||
        b.rows - a.rows ||
        names.compare(a.title, b.title),
    );
  const lines: ({ readonly head: GroupHead } | { readonly row: R })[] = [];
  for (const one of all) {
    lines.push({ head: { ...one.head, line: lines.length } });
    if (!one.head.folded) lines.push(...one.rows.map((row) => ({ row })));
  }
  const seen = lines.slice(window.first, last);
  return {
    lines: lines.length,
    heads: seen.flatMap((line) => ('head' in line ? [line.head] : [])),
    rows: seen.flatMap((line) => ('row' in line ? [line.row] : [])),
  };
}
