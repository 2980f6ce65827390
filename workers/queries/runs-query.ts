import type { CompanyN, Ms } from '#contract/ids.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { GroupHead, RunsFilter, RunsView } from '#contract/runs/query.ts';
import type { RunsWatch } from '../api.ts';
import { facetsShown, NO_FACETS } from './facets-query.ts';
import type { ColumnStore, RunSelection } from '../types.ts';
import type { Replica } from '../sync/replica.ts';

/**
 * A list of runs in which a user works. While `isInUse`, its heads and rows keep their place with
 * current values; counts and facets stay up to date; new matching runs are only counted. Another
 * filter, another `round`, or the end of `isInUse` takes them in.
 */
export function makeRunsWatch(
  replica: () => Replica | null,
  now: () => Ms,
  pins: () => ReadonlySet<CompanyN>,
): { make(input: RunsWatch): RunsView; hold(): void } {
  let frozen: {
    readonly list: RunSelection;
    readonly has: (n: number) => boolean;
    readonly key: string;
  } | null = null;
  let shown: { readonly list: RunSelection; readonly key: string } | null = null;
  let version = 0;
  let last = '';
  let frozenUntil = 0;
  return {
    make(input) {
      const view = made(input);
      const text = JSON.stringify(view);
      if (text !== last) version += 1;
      last = text;
      return { ...view, version };
    },
    // A user's change to a row may show before the page reports that its list is `isInUse`: the list
    // waits for that report.
    hold() {
      if (frozen === null && shown !== null)
        frozen = { ...shown, has: getMember(shown.list.ids()) };
      frozenUntil = now() + WORD_MS;
    },
  };

  function made(input: RunsWatch): Omit<RunsView, 'version'> {
    const here = replica();
    if (!here) {
      frozen = null;
      shown = null;
      return EMPTY;
    }
    const { engine, days } = here;
    const at = now();
    const fresh = engine.select(input.filter, at);
    const key = JSON.stringify([input.filter, input.round, here.generation]);
    if (!input.isInUse && at >= frozenUntil) frozen = null;
    else if (frozen?.key !== key) frozen = { list: fresh, has: getMember(fresh.ids()), key };
    const list = frozen?.list ?? fresh;
    shown = { list, key };
    const { count, heads, rows } = list.lines(input.window, input.folded);
    return {
      total: list.total,
      lines: count,
      heads:
        list === fresh
          ? heads
          : heads.map((head) => ({ ...head, progress: progressNow(fresh, head) })),
      first: input.window.first,
      rows: engine.view(rows, { first: 0, count: rows.total }, at),
      facets: facetsShown(fresh.facets, input.filter, input.facets, pins()),
      progress: fresh.progress,
      fresh: frozen && list !== fresh ? waiting(fresh.ids(), frozen.has) : 0,
      newestAt: engine.newestAt,
      loaded: { days: days.size - here.daysLeft, of: days.size },
      committedAt: here.committedAt,
    };
  }
}

/** How long to wait for the page to report that its list is frozen. */
const WORD_MS: Ms = 1_000;

/** Before data is loaded, and after signing out. */
const EMPTY: Omit<RunsView, 'version'> = {
  total: 0,
  lines: 0,
  heads: [],
  first: 0,
  rows: [],
  facets: NO_FACETS,
  progress: { cleared: 0, of: 0 },
  fresh: 0,
  newestAt: null,
  loaded: { days: 0, of: 0 },
  committedAt: null,
};

/**
 * The current progress of a head. Its single causes are looked up one by one, because by now others
 * may be single.
 */
function progressNow(
  fresh: RunSelection,
  { key, causes, progress }: GroupHead,
): GroupHead['progress'] {
  if (!causes) return fresh.counts(key)?.progress ?? progress;
  return causes.reduce(
    (sum, cause) => {
      const one = fresh.counts(cause)?.progress;
      return { cleared: sum.cleared + (one?.cleared ?? 0), of: sum.of + (one?.of ?? 0) };
    },
    { cleared: 0, of: 0 },
  );
}

/** One bit per run. */
function getMember(ids: Uint32Array): (n: number) => boolean {
  const highest = ids.reduce((max, n) => Math.max(max, n), 0);
  const bits = new Uint32Array((highest >>> 5) + 1);
  for (const n of ids) bits[n >>> 5] = (bits[n >>> 5] ?? 0) | (1 << (n & 31));
  return (n) => n <= highest && ((bits[n >>> 5] ?? 0) & (1 << (n & 31))) !== 0;
}

const waiting = (ids: Uint32Array, has: (n: number) => boolean): number => {
  let count = 0;
  for (const n of ids) if (!has(n)) count += 1;
  return count;
};

export const allMatching = (
  engine: ColumnStore,
  filter: RunsFilter,
  now: Ms,
): readonly number[] => [...engine.select({ ...EVERYTHING, ...filter }, now).ids()];
