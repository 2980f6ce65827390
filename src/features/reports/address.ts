import { PAGE_SIZE } from '#contract/paging.ts';
const PATH = '/monitoring/report-settings';

/** State in the address: the open list, report (`new`: a new one), or sent report. */
export interface ReportsPlace {
  readonly tab: 'reports' | 'history';
  readonly open: string | null;
  readonly sent: string | null;
  /** The report whose history is shown; null for all. */
  readonly of: string | null;
  readonly page: number;
  readonly size: number;
}

const ID = /^[\w-]{1,64}$/;
const SIZES = [10, 25, 50, 100, 200];

export function reportsPlace(search: string): ReportsPlace {
  const query = new URLSearchParams(search);
  const id = (name: string): string | null => {
    const said = query.get(name) ?? '';
    return ID.test(said) ? said : null;
  };
  const page = Number(query.get('page'));
  const size = Number(query.get('size'));
  return {
    tab: query.get('tab') === 'history' ? 'history' : 'reports',
    open: id('report'),
    sent: id('sent'),
    of: id('of'),
    page: Number.isInteger(page) && page > 0 && page <= 100_000 ? page : 1,
    size: SIZES.includes(size) ? size : PAGE_SIZE,
  };
}

export function reportsAddress({
  tab = 'reports',
  open = null,
  sent = null,
  of = null,
  page = 1,
  size = PAGE_SIZE,
}: Partial<ReportsPlace>): string {
  const query = new URLSearchParams();
  if (tab !== 'reports') query.set('tab', tab);
  if (open !== null) query.set('report', open);
  if (sent !== null) query.set('sent', sent);
  if (of !== null) query.set('of', of);
  if (page > 1) query.set('page', String(page));
  if (size !== PAGE_SIZE) query.set('size', String(size));
  return query.size === 0 ? PATH : `${PATH}?${query.toString()}`;
}
