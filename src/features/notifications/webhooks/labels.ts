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

export interface WebhookBadge {
  readonly label: string;
  readonly icon: IconName;
  readonly text: string;
}
export const DELIVERY_BADGES: Readonly<Record<DeliveryState, WebhookBadge>> = {
  waiting: { label: t.waiting, icon: 'clock', text: 'text-ink-2' },
  sent: { label: t.delivered, icon: 'success', text: 'text-success' },
  failed: { label: t.notDelivered, icon: 'failed', text: 'text-failed font-semibold' },
  dropped: { label: t.dropped, icon: 'minus', text: 'text-warning' },
};

/** Returns the status of a webhook in one word. */
export function getWebhookState({
  enabled,
  stoppedAt,
  failingSince,
  lastState,
}: Pick<WebhookOut, 'enabled' | 'stoppedAt' | 'failingSince' | 'lastState'>): WebhookBadge {
  if (!enabled)
    return stoppedAt === null
      ? { label: t.off, icon: 'minus', text: 'text-ink-3' }
      : {
          label: t.stopped,
          icon: 'failed',
          text: 'text-failed font-semibold',
        };
  if (failingSince !== null)
    return { label: t.failing, icon: 'warning', text: 'text-warning font-semibold' };
  return lastState === null
    ? { label: t.notUsed, icon: 'clock', text: 'text-ink-2' }
    : { label: t.working, icon: 'success', text: 'text-success' };
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
  error,
}: Pick<DeliveryOut, 'tries' | 'code' | 'error'>): string =>
  [
    ...(tries === 0 ? [] : [t.tries({ count: tries })]),
    ...(error === null ? (code === null ? [] : [t.response({ code })]) : [error]),
  ].join(' · ');

export const WEBHOOK_ERRORS: ErrorLabels = {
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
