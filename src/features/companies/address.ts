import type { InputOf } from '#contract/calls.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { PAGE_SIZES } from '#src/ui/pager.tsx';

const SORTS = ['name', '-name', 'madeAt', '-madeAt'] as const;
export type CompanySort = (typeof SORTS)[number];

/**
 * State in the address of the companies page. `open`: a company's id, or `new`. `importing`: the
 * import dialog is open. Pages start at 1.
 */
export interface CompaniesPlace {
  readonly text: string;
  readonly sort: CompanySort;
  readonly page: number;
  readonly size: number;
  readonly open: string | null;
  readonly importing: boolean;
}

export const COMPANIES_DEFAULTS: CompaniesPlace = {
  text: '',
  sort: 'name',
  page: 1,
  size: PAGE_SIZE,
  open: null,
  importing: false,
};
export const COMPANIES_PATH = '/monitoring/companies';

/** Returns the query of an address without `?`. Default values are left out. */
export function companiesQuery({
  text,
  sort,
  page,
  size,
  open,
  importing,
}: CompaniesPlace): string {
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  if (sort !== COMPANIES_DEFAULTS.sort) params.set('sort', sort);
  if (page !== 1) params.set('page', String(page));
  if (size !== PAGE_SIZE) params.set('size', String(size));
  if (open !== null) params.set('company', open);
  if (importing) params.set('import', 'vspc');
  return params.toString();
}

/** Parses any query. Invalid values fall back to their defaults. */
export function companiesPlace(query: string): CompaniesPlace {
  const params = new URLSearchParams(query);
  const page = params.get('page') ?? '';
  const size = Number(params.get('size'));
  const open = params.get('company') ?? '';
  return {
    text: (params.get('q') ?? '').slice(0, 100),
    sort: SORTS.find((one) => one === params.get('sort')) ?? COMPANIES_DEFAULTS.sort,
    page: /^[1-9]\d{0,4}$/.test(page) ? Number(page) : 1,
    size: PAGE_SIZES.find((one) => one === size) ?? PAGE_SIZE,
    open: /^(new|[\da-f-]{36})$/.test(open) ? open : null,
    importing: params.get('import') === 'vspc',
  };
}

/** A change of filter or order returns to the first page. */
export const companiesMoved = (
  place: CompaniesPlace,
  next: Partial<CompaniesPlace>,
): CompaniesPlace => ({
  ...place,
  ...(['text', 'sort', 'size'].some((key) => key in next) && { page: 1 }),
  ...next,
});

/** Returns the server query of the list, also for its export. */
export function companiesAsk({ text, sort }: CompaniesPlace): InputOf<'exportCompanies'> {
  const search = text.trim();
  return { sort, ...(search !== '' && { search }) };
}
