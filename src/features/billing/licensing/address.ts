import { PAGE_SIZE } from '#contract/paging.ts';
import { PAGE_SIZES } from '#src/ui/pager.tsx';

/**
 * State in the address of the page. `month`: empty for the current month. `provider`: empty for the
 * user's own.
 */
export interface LicensingPlace {
  readonly view: 'companies' | 'providers';
  readonly month: string;
  readonly provider: string;
  readonly text: string;
  readonly page: number;
  readonly size: number;
}

const SIZE = PAGE_SIZE;
const PATH = '/monitoring/licensing';

export function licensingPlace(search: string): LicensingPlace {
  const query = new URLSearchParams(search);
  const month = query.get('month') ?? '';
  const provider = query.get('provider') ?? '';
  return {
    view: query.get('view') === 'providers' ? 'providers' : 'companies',
    month: /^\d{4}-\d\d$/.test(month) ? month : '',
    provider: /^[\da-f-]{36}$/.test(provider) ? provider : '',
    text: (query.get('q') ?? '').slice(0, 100),
    page: Math.max(1, Math.floor(Number(query.get('page') ?? 1)) || 1),
    size: PAGE_SIZES.find((one) => String(one) === query.get('size')) ?? SIZE,
  };
}

export function licensingAddress({
  view,
  month,
  provider,
  text,
  page,
  size,
}: LicensingPlace): string {
  const query = new URLSearchParams();
  if (view !== 'companies') query.set('view', view);
  if (month !== '') query.set('month', month);
  if (provider !== '') query.set('provider', provider);
  if (text !== '') query.set('q', text);
  if (page > 1) query.set('page', String(page));
  if (size !== SIZE) query.set('size', String(size));
  const said = query.toString();
  return said === '' ? PATH : `${PATH}?${said}`;
}
