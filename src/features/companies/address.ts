import type { InputOf } from '#contract/calls.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { PAGE_SIZES } from '#src/ui/pager.tsx';

const SORTS = ['name', '-name', 'madeAt', '-madeAt'] as const;
export type CompanySort = (typeof SORTS)[number];

/**
 * What the address of the companies holds. `open`: a company's id, or `new`; `importing`: the list
 * of the other console is open. Pages begin with 1.
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

/** The query of an address, without `?`: empty at the defaults. */
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

/** Reads any query: what is no value falls back to its default. */
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

/** Another list begins at its first page. */
export const companiesMoved = (
  place: CompaniesPlace,
  next: Partial<CompaniesPlace>,
): CompaniesPlace => ({
  ...place,
  ...(['text', 'sort', 'size'].some((key) => key in next) && { page: 1 }),
  ...next,
});

/** What the server is asked for it: the list, and the same for its file. */
export function companiesAsk({ text, sort }: CompaniesPlace): InputOf<'exportCompanies'> {
  const search = text.trim();
  return { sort, ...(search !== '' && { search }) };
}
