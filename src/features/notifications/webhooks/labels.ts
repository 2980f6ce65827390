import { formatList } from '#contract/i18n/list.ts';
import type { DeliveryOut, WebhookOut } from '#contract/notifications/calls.ts';
import type { DeliveryState, NotifyCategory } from '#contract/notifications/notifications.ts';
import type { ErrorLabels } from '#src/ui/form-errors.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { webhookMessages as t } from './messages.en.ts';

export const CATEGORY_NAMES: Readonly<Record<NotifyCategory, string>> = {
  failed: t.eventFailed,
  missed: t.eventMissed,
  sla: t.eventSla,
  repository: t.eventRepository,
  source: t.eventSource,
  ticket: t.eventTicket,
};

export interface Shown {
  readonly word: string;
  readonly icon: IconName;
  readonly text: string;
}
export const DELIVERY_STATES: Readonly<Record<DeliveryState, Shown>> = {
  waiting: { word: t.waiting, icon: 'clock', text: 'text-ink-2' },
  sent: { word: t.delivered, icon: 'success', text: 'text-success' },
  failed: { word: t.notDelivered, icon: 'failed', text: 'text-failed font-semibold' },
  dropped: { word: t.dropped, icon: 'minus', text: 'text-warning' },
};

/** Returns the status of a webhook in one word. */
export function stateOf({
  enabled,
  stoppedAt,
  failingSince,
  lastState,
}: Pick<WebhookOut, 'enabled' | 'stoppedAt' | 'failingSince' | 'lastState'>): Shown {
  if (!enabled)
    return stoppedAt === null
      ? { word: t.off, icon: 'minus', text: 'text-ink-3' }
      : {
          word: t.stopped,
          icon: 'failed',
          text: 'text-failed font-semibold',
        };
  if (failingSince !== null)
    return { word: t.failing, icon: 'warning', text: 'text-warning font-semibold' };
  return lastState === null
    ? { word: t.notUsed, icon: 'clock', text: 'text-ink-2' }
    : { word: t.working, icon: 'success', text: 'text-success' };
}

/** Returns the event of a delivery as text. */
export const eventText = ({ category, facts }: Pick<DeliveryOut, 'category' | 'facts'>): string =>
  category === 'test'
    ? t.test
    : facts > 1
      ? t.eventTimes({ event: CATEGORY_NAMES[category], count: facts })
      : CATEGORY_NAMES[category];

/** Returns the response of the URL as text. */
export const responseText = ({
  tries,
  code,
  fault,
}: Pick<DeliveryOut, 'tries' | 'code' | 'fault'>): string =>
  [
    ...(tries === 0 ? [] : [t.tries({ count: tries })]),
    ...(fault === null ? (code === null ? [] : [t.response({ code })]) : [fault]),
  ].join(' · ');

export const FAULT_WORDS: ErrorLabels = {
  'webhook.name': t.nameMissing,
  'webhook.url': t.urlInvalid,
  'webhook.categories': t.eventMissing,
  'webhook.companies': t.companyMissing,
};

/** `All companies`, up to two names, otherwise the number of companies. */
export function companiesText(
  companies: readonly number[] | null,
  names: ReadonlyMap<number, string>,
): string {
  if (companies === null) return t.allCompanies;
  return companies.length <= 2
    ? formatList(
        companies.map((n) => names.get(n) ?? t.unknownCompany),
        'and',
      )
    : t.companyCount({ count: companies.length });
}
export const idOf = ({ _id }: { readonly _id: string }): string => _id;
