import {
  findPrices,
  isForSuperAdmins,
  type BillingSettings,
  type LevelPrices,
} from '#contract/billing/service-levels.ts';
import type { SignUpOut } from '#contract/billing/sign-up-calls.ts';
import type { SignUpRow } from './provision.ts';

/** Levels that a new customer can pay, or that are free. */
export const listLevels = ({ levels }: BillingSettings): readonly LevelPrices[] =>
  levels.filter(
    (prices) =>
      prices.isOffered &&
      !isForSuperAdmins(prices.level) &&
      (isFree(prices) || prices.stripePrice !== null),
  );
export const isFree = ({ userMills, gigabyteMills }: LevelPrices): boolean =>
  userMills === 0 && gigabyteMills === 0;
export const toPrices = ({ level, userMills, gigabyteMills }: LevelPrices) => ({
  level,
  userMills,
  gigabyteMills,
});

/** Returns where a sign-up is, as its page shows it. */
export function toSignUpOutput(row: SignUpRow, settings: BillingSettings): SignUpOut {
  const prices = findPrices(settings, row.level);
  return {
    step: getStep(row, settings),
    email: row.email,
    name: row.name,
    company: row.company,
    level: row.level,
    currency: settings.currency,
    prices: prices && toPrices(prices),
    levels: listLevels(settings).map(toPrices),
    recaptcha: settings.recaptcha,
  };
}

function getStep(row: SignUpRow, { recaptcha }: BillingSettings): SignUpOut['step'] {
  if (row.ready_at !== null) return 'ready';
  if (row.password_hash === '') return 'details';
  if (recaptcha.isOn && row.captcha_at === null) return 'captcha';
  return row.session_id === null ? 'checkout' : 'paying';
}
