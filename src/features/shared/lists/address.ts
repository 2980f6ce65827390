/**
 * State in the address of a list beside the results: search text, and whether ignored entries are
 * shown.
 */
export interface BesidePlace {
  readonly text: string;
  readonly ignored: boolean;
}

const TEXT_CHARS = 200;

export function besideQuery({ text, ignored }: BesidePlace): string {
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  if (ignored) params.set('ignored', 'yes');
  return params.toString();
}

export function besidePlace(query: string): BesidePlace {
  const params = new URLSearchParams(query);
  return {
    text: (params.get('q') ?? '').slice(0, TEXT_CHARS),
    ignored: params.get('ignored') === 'yes',
  };
}

export const LISTS = ['results', 'disabled', 'computers'] as const;
export type ListKey = (typeof LISTS)[number];
export const LIST_PATHS = {
  results: '/monitoring/daily-checks',
  disabled: '/monitoring/daily-checks/disabled-jobs',
  computers: '/monitoring/daily-checks/computers',
} as const satisfies Record<ListKey, string>;
