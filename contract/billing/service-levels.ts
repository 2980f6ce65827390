import * as v from 'valibot';
import type { Mills } from './invoice.ts';
import { schemaMessages } from '../schemas.messages.en.ts';

/** The service levels of Microsoft 365 backup, from section 9 of the specification. */
export const SERVICE_LEVELS = [
  'free',
  'basic',
  'advanced',
  'businessCritical',
  'licenseStorage',
  'ACH',
] as const;
export type ServiceLevel = (typeof SERVICE_LEVELS)[number];

/** Levels that only super-admins choose (section 5 of the specification). */
const SUPER_ADMIN_LEVELS: readonly ServiceLevel[] = ['licenseStorage', 'ACH'];

export const isForSuperAdmins = (level: ServiceLevel): boolean =>
  SUPER_ADMIN_LEVELS.includes(level);

/** Currencies with two decimal places, so that an amount rounds to whole cents. */
export const CURRENCIES = [
  'USD',
  'EUR',
  'GBP',
  'CAD',
  'AUD',
  'NZD',
  'CHF',
  'SEK',
  'NOK',
  'DKK',
  'PLN',
  'CZK',
  'ZAR',
] as const;

export type Currency = (typeof CURRENCIES)[number];

export const MAX_PRICE_MILLS: Mills = 1_000_000_000;
/** A price in thousandths of the currency's unit. */
export const PriceSchema: v.GenericSchema<Mills> = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.maxValue(MAX_PRICE_MILLS),
);

/** Ids of Stripe's objects, such as `price_…`. */
const stripeId = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^[\w-]{1,100}$/, () => schemaMessages.stripeId),
);

/**
 * What one level costs per month: for each user, and for each gigabyte of backup data. `isOffered`:
 * whether it can be chosen. `stripePrice`: the recurring price at Stripe, for payment by card.
 * `stripeMeter`: the event name of the billing meter that counts a metered level.
 */
export const LevelPricesSchema = v.strictObject({
  level: v.picklist(SERVICE_LEVELS),
  isOffered: v.boolean(),
  userMills: PriceSchema,
  gigabyteMills: PriceSchema,
  stripePrice: v.nullable(stripeId),
  stripeMeter: v.nullable(stripeId),
});
export type LevelPrices = Readonly<v.InferOutput<typeof LevelPricesSchema>>;

/** Secrets of a provider's billing: its Stripe key, its webhook's, reCAPTCHA's, SolarWinds'. */
export const BILLING_SECRETS = ['stripe', 'stripe-webhook', 'recaptcha', 'solarwinds'] as const;

/**
 * How a provider sells Microsoft 365 backup. `levels`: every level once. `graceDays`: backups
 * continue this long after a failed payment. `recaptcha`: whether sign-up asks for one, and its
 * site key. `solarWinds`: the server whose volumes are listed.
 */
export const BillingSettingsSchema = v.strictObject({
  currency: v.picklist(CURRENCIES),
  levels: v.pipe(
    v.array(LevelPricesSchema),
    v.length(SERVICE_LEVELS.length),
    v.check((levels) => new Set(levels.map(({ level }) => level)).size === SERVICE_LEVELS.length),
  ),
  trialDays: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(365)),
  graceDays: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(90)),
  isSignUpOpen: v.boolean(),
  recaptcha: v.strictObject({
    isOn: v.boolean(),
    siteKey: v.nullable(
      v.pipe(
        v.string(),
        v.trim(),
        v.regex(/^[\w-]{1,100}$/, () => schemaMessages.stripeId),
      ),
    ),
  }),
  solarWinds: v.nullable(
    v.strictObject({
      url: v.pipe(
        v.string(),
        v.trim(),
        v.maxLength(500),
        v.url(),
        v.regex(/^https?:\/\//i, () => schemaMessages.webAddress),
      ),
      username: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
    }),
  ),
});
export type BillingSettings = Readonly<v.InferOutput<typeof BillingSettingsSchema>>;

export const DEFAULT_BILLING: BillingSettings = {
  currency: 'USD',
  levels: SERVICE_LEVELS.map((level) => ({
    level,
    isOffered: false,
    userMills: 0,
    gigabyteMills: 0,
    stripePrice: null,
    stripeMeter: null,
  })),
  trialDays: 0,
  graceDays: 14,
  isSignUpOpen: false,
  recaptcha: { isOn: false, siteKey: null },
  solarWinds: null,
};

export const findPrices = (
  { levels }: Pick<BillingSettings, 'levels'>,
  level: ServiceLevel,
): LevelPrices | null => levels.find((prices) => prices.level === level) ?? null;
