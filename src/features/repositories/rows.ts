import type { CompanyN, Ms } from '#contract/ids.ts';
import type { RepositoryOut } from '#contract/daily-checks/operator-calls.ts';
import { DAY_MS } from '#contract/time/durations.ts';

/** Sort orders of the list. */
export const REPOSITORY_ORDERS = ['fullest', 'soonest', 'name', 'stale'] as const;
export type RepositoryOrder = (typeof REPOSITORY_ORDERS)[number];

/** Status of a repository. `none`: its size was never reported; `stale`: not for two days. */
export type RepositoryStatus = 'full' | 'soon' | 'well' | 'stale' | 'none';

export interface Row {
  readonly id: string;
  readonly name: string;
  readonly where: string;
  readonly company: CompanyN;
  readonly companyName: string;
  /** 0 to 1; null if used space or capacity is unknown. */
  readonly share: number | null;
  readonly used: number | null;
  readonly free: number | null;
  readonly capacity: number | null;
  readonly fullAt: Ms | null;
  readonly daysLeft: number | null;
  readonly sampledAt: Ms;
  readonly status: RepositoryStatus;
  readonly isStale: boolean;
  readonly trace: readonly (number | null)[];
}

const STALE: Ms = 2 * DAY_MS;
const SOON_DAYS = 14;

export function getRepositoryRows(
  all: readonly RepositoryOut[],
  names: ReadonlyMap<CompanyN, string>,
  now: Ms,
): readonly Row[] {
  return all.map(({ _id: id, ...one }): Row => {
    const used =
      one.usedBytes ??
      (one.capacityBytes !== null && one.freeBytes !== null
        ? one.capacityBytes - one.freeBytes
        : null);
    const share =
      used === null || one.capacityBytes === null || one.capacityBytes <= 0
        ? null
        : Math.min(1, Math.max(0, used / one.capacityBytes));
    const daysLeft =
      one.fullAt === null ? null : Math.max(0, Math.floor((one.fullAt - now) / DAY_MS));
    const isStale = now - one.sampledAt > STALE;
    return {
      id,
      name: one.name,
      where: [one.hostName, one.path].filter((part) => part !== null && part !== '').join(' '),
      company: one.company,
      companyName: names.get(one.company) ?? '',
      share,
      used,
      free:
        one.freeBytes ??
        (one.capacityBytes !== null && used !== null
          ? Math.max(0, one.capacityBytes - used)
          : null),
      capacity: one.capacityBytes,
      fullAt: one.fullAt,
      daysLeft,
      sampledAt: one.sampledAt,
      isStale,
      status:
        one.fullAt !== null && one.fullAt <= now
          ? 'full'
          : share !== null && share >= 1
            ? 'full'
            : daysLeft !== null && daysLeft < SOON_DAYS
              ? 'soon'
              : isStale
                ? 'stale'
                : used === null
                  ? 'none'
                  : 'well',
      trace: one.days.map(({ usedBytes }) => usedBytes),
    };
  });
}

/**
 * Returns the rows of the chosen companies that match the text by name, location or company,
 * sorted.
 */
export function shownRows(
  rows: readonly Row[],
  {
    order,
    text,
    companies,
  }: {
    readonly order: RepositoryOrder;
    readonly text: string;
    readonly companies: readonly CompanyN[];
  },
): readonly Row[] {
  const key = text.trim().toLowerCase();
  return rows
    .filter(
      (row) =>
        (companies.length === 0 || companies.includes(row.company)) &&
        (key === '' || `${row.name} ${row.where} ${row.companyName}`.toLowerCase().includes(key)),
    )
    .sort((a, b) => BY[order](a, b) || byName(a, b));
}

const last = (value: number | null): number => value ?? Infinity;
const byName = (a: Row, b: Row): number =>
  NAMES.compare(a.name, b.name) || a.company - b.company || (a.id < b.id ? -1 : 1);
/**
 * Known values come before unknown ones (Infinity). A subtraction would not work, because Infinity
 * − Infinity is NaN.
 */
const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
const BY: Readonly<Record<RepositoryOrder, (a: Row, b: Row) => number>> = {
  fullest: (a, b) =>
    compare(b.share ?? -1, a.share ?? -1) || compare(last(a.fullAt), last(b.fullAt)),
  soonest: (a, b) => compare(last(a.fullAt), last(b.fullAt)),
  name: byName,
  stale: (a, b) => compare(a.sampledAt, b.sampledAt),
};
const NAMES = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
