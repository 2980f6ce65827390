import type { CompanyN } from '#contract/ids.ts';
import { spanKey, spanOfKey } from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';
import { withQuery } from '#src/features/shared/with-query.ts';
import { REPOSITORY_ORDERS } from './rows.ts';
import type { RepositoryOrder } from './rows.ts';

/** Filters, order, the repository with an open history, and its period. */
export interface RepositoriesPlace {
  readonly order: RepositoryOrder;
  readonly text: string;
  readonly companies: readonly CompanyN[];
  readonly open: string | null;
  readonly span: Span;
}

export const REPOSITORIES_PLACE: RepositoriesPlace = {
  order: 'fullest',
  text: '',
  companies: [],
  open: null,
  span: { kind: 'last', days: 30 },
};
const TEXT_CHARS = 200;

export function repositoriesAddress(place: RepositoriesPlace): string {
  const params = new URLSearchParams();
  const put = (key: string, value: string, byDefault: string): void => {
    if (value !== byDefault) params.set(key, value);
  };
  put('order', place.order, REPOSITORIES_PLACE.order);
  put('q', place.text, '');
  put('company', place.companies.join(), '');
  put('open', place.open ?? '', '');
  put('date', spanKey(place.span), spanKey(REPOSITORIES_PLACE.span));
  return withQuery('/monitoring/repositories', params);
}

export function repositoriesPlace(query: string): RepositoriesPlace {
  const params = new URLSearchParams(query);
  const open = params.get('open') ?? '';
  return {
    order: REPOSITORY_ORDERS.find((one) => one === params.get('order')) ?? REPOSITORIES_PLACE.order,
    text: (params.get('q') ?? '').slice(0, TEXT_CHARS),
    open: open === '' || open.length > 300 ? null : open,
    companies: [...new Set((params.get('company') ?? '').split(','))]
      .filter((word) => /^[1-9]\d{0,9}$/.test(word))
      .map(Number),
    span: spanOfKey(params.get('date') ?? '') ?? REPOSITORIES_PLACE.span,
  };
}
