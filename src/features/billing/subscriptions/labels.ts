import { formatList } from '#contract/i18n/list.ts';
import { splitNumber } from '#src/ui/money.ts';
import type { ServiceLevel } from '#contract/billing/service-levels.ts';
import type { SubscriptionOut, UsageMonthOut } from '#contract/billing/subscription-calls.ts';
import type { SubscriptionStatus } from '#contract/billing/subscriptions.ts';
import type { Ms } from '#contract/ids.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { BadgeProps } from '#src/ui/badge.tsx';
import { formatCount, formatDate, formatWhen } from '#src/ui/format.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { moneyWords } from '../labels.ts';
import { subscriptionMessages as t } from './messages.en.ts';

/** A status is always icon, word and color. */
export const STATUS_MARKS: Readonly<
  Record<
    SubscriptionStatus,
    { readonly icon: IconName; readonly tone: NonNullable<BadgeProps['tone']> }
  >
> = {
  active: { icon: 'success', tone: 'success' },
  pending: { icon: 'clock', tone: 'running' },
  cancelled: { icon: 'missed', tone: 'quiet' },
  payment_failed: { icon: 'warning', tone: 'warning' },
  disabled: { icon: 'failed', tone: 'failed' },
  ended: { icon: 'missed', tone: 'quiet' },
};

export const STATUS_NAMES: Readonly<Record<SubscriptionStatus, string>> = t;

/** Returns the badge of a month in which somebody has to act: it isn't collected, or its invoice is gone. */
export const getUsageMark = ({
  invoice,
  error,
  isReleased,
}: Pick<UsageMonthOut, 'invoice' | 'error' | 'isReleased'>): {
  readonly icon: IconName;
  readonly tone: NonNullable<BadgeProps['tone']>;
} | null => {
  if (invoice !== null) return null;
  if (error != null) return { icon: 'failed', tone: 'failed' };
  return isReleased ? { icon: 'warning', tone: 'warning' } : null;
};

/**
 * Whether the page says that an invoice is gone: not beside why another one isn't collected, nor once
 * Stripe collects the month again.
 */
export const showsReleased = ({
  isReleased,
  isByCard,
  ack,
  error,
}: Pick<UsageMonthOut, 'isReleased' | 'isByCard' | 'ack' | 'error'>): boolean =>
  isReleased && error == null && !(isByCard && ack);

/** Whether the usage of a month is acknowledged, or what became of its invoice. */
export function getUsageState({ invoice, ack, error, isReleased }: UsageMonthOut): string {
  if (invoice !== null) return t.invoiced({ number: invoice });
  if (error != null) return t.notCollected;
  if (isReleased) return t.openAgain;
  return ack ? t.acknowledged : t.notAcknowledged;
}

/** The provider's own name of a level, if its branding has one. */
export const getLevelName = (level: ServiceLevel, branding: Branding | null): string =>
  branding?.features.office365.selfRegistration.serviceLevels.find(({ id }) => id === level)
    ?.label ?? t[level];

/** `12.5`: a quantity in hundredths. */
export const formatQuantity = (hundredths: number): string => formatCount(hundredths / 100);

/** `$2.50 per user and month, $0.10 per gigabyte and month`. */
export const describePrice = ({
  userMills,
  gigabyteMills,
  currency,
}: Pick<SubscriptionOut, 'userMills' | 'gigabyteMills' | 'currency'>): string =>
  formatList(
    [
      t.perUser({ price: moneyWords(userMills, currency) }),
      ...(gigabyteMills > 0 ? [t.perGigabyte({ price: moneyWords(gigabyteMills, currency) })] : []),
    ],
    'plain',
  );

/**
 * What happens next without anybody doing something, and when, in one sentence: `Renews on 12/31/26`.
 * Null: nothing, or what the status already says.
 */
export function describeNextStep(
  {
    status,
    trialEndsAt,
    periodEndsAt,
    endedAt,
  }: Pick<SubscriptionOut, 'status' | 'trialEndsAt' | 'periodEndsAt' | 'endedAt'>,
  now: Ms,
  zone: string,
): string | null {
  if (endedAt !== null) return t.endedOn({ when: formatWhen(endedAt, zone) });
  // A period ends with a day.
  const when = formatDate(periodEndsAt, zone);
  const trial = trialEndsAt === null || trialEndsAt <= now ? null : formatWhen(trialEndsAt, zone);
  if (status === 'cancelled') {
    if (trialEndsAt === null || trial === null) return t.endsOn({ when });
    return trialEndsAt < periodEndsAt ? t.endsAfterTrial({ when, trial }) : t.endsInTrial({ when });
  }
  if (trial !== null) return t.trialEnds({ when: trial });
  return status === 'active' ? t.renewsOn({ when }) : null;
}

/**
 * Reads hundredths as typed: `12.5` is 1,250. Null if it isn't a quantity. In English, a
 * comma separates thousands only: `12,5` is refused, since it would be 125.
 */
export const parseQuantity = (text: string): number | null => {
  const typed = splitNumber(text.trim());
  if (typed === null || typed.whole.length > 6) return null;
  return Math.round(Number(`${typed.whole}.${typed.fraction}`) * 100);
};
