import type { DeliveryOut, WebhookOut } from '#contract/notifications/calls.ts';
import type { DeliveryState, NotifyCategory } from '#contract/notifications/notifications.ts';
import type { ErrorLabels } from '#src/ui/form-errors.ts';
import { plural } from '#src/ui/format.ts';
import type { IconName } from '#src/ui/icon.tsx';

export const CATEGORY_NAMES: Readonly<Record<NotifyCategory, string>> = {
  failed: 'A job failed',
  missed: 'A job did not run',
  sla: 'An SLA alarm is broken',
  repository: 'A repository fills up',
  source: 'A source stopped reporting',
  ticket: 'A ticket was closed elsewhere',
};

export interface Shown {
  readonly word: string;
  readonly icon: IconName;
  readonly text: string;
}
export const DELIVERY_STATES: Readonly<Record<DeliveryState, Shown>> = {
  waiting: { word: 'Waiting', icon: 'clock', text: 'text-ink-2' },
  sent: { word: 'Delivered', icon: 'success', text: 'text-success' },
  failed: { word: 'Not delivered', icon: 'failed', text: 'text-failed font-semibold' },
  dropped: { word: 'Dropped', icon: 'minus', text: 'text-warning' },
};

/** An address in one word. */
export function stateOf({
  enabled,
  stoppedAt,
  failingSince,
  lastState,
}: Pick<WebhookOut, 'enabled' | 'stoppedAt' | 'failingSince' | 'lastState'>): Shown {
  if (!enabled)
    return stoppedAt === null
      ? { word: 'Off', icon: 'minus', text: 'text-ink-3' }
      : {
          word: 'Switched off: it failed for too long',
          icon: 'failed',
          text: 'text-failed font-semibold',
        };
  if (failingSince !== null)
    return { word: 'Failing', icon: 'warning', text: 'text-warning font-semibold' };
  return lastState === null
    ? { word: 'Nothing delivered yet', icon: 'clock', text: 'text-ink-2' }
    : { word: 'Delivers', icon: 'success', text: 'text-success' };
}

/** What a delivery holds. */
export const holds = ({ category, facts }: Pick<DeliveryOut, 'category' | 'facts'>): string =>
  category === 'test'
    ? 'Test'
    : `${CATEGORY_NAMES[category]}${facts > 1 ? `, ${plural(facts, 'time')}` : ''}`;

/** What came back, in a line. */
export const answered = ({
  tries,
  code,
  fault,
}: Pick<DeliveryOut, 'tries' | 'code' | 'fault'>): string =>
  [
    ...(tries === 0 ? [] : [plural(tries, 'try', 'tries')]),
    ...(fault === null ? (code === null ? [] : [`answered ${code}`]) : [fault]),
  ].join(', ');

export const FAULT_WORDS: ErrorLabels = {
  'webhook.name': 'Give it a name.',
  'webhook.url': 'Give an address that begins with https://, without a user name.',
  'webhook.categories': 'Choose at least one.',
  'webhook.companies': 'Choose at least one company, and only ones that are there.',
};

/** `All companies`, two by their names, more by their number. */
export function companiesWords(
  companies: readonly number[] | null,
  names: ReadonlyMap<number, string>,
): string {
  if (companies === null) return 'All companies';
  return companies.length <= 2
    ? companies.map((n) => names.get(n) ?? 'A company that is not there').join(' and ')
    : plural(companies.length, 'company', 'companies');
}
export const idOf = ({ _id }: { readonly _id: string }): string => _id;
