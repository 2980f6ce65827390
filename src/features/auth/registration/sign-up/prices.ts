import type { ServiceLevel } from '#contract/billing/service-levels.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { describePrice, getLevelName } from '../../../billing/subscriptions/labels.ts';

/** What a level costs. */
export const describePrices = (
  prices: { readonly userMills: number; readonly gigabyteMills: number },
  currency: Parameters<typeof describePrice>[0]['currency'],
): string => describePrice({ ...prices, currency });

export const getLevelLabel = (level: ServiceLevel, branding: Branding | null): string =>
  getLevelName(level, branding);
