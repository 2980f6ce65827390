import * as v from 'valibot';
import { companyRef } from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { nameText } from '../text-schema.ts';
import { CURRENCIES, SERVICE_LEVELS } from './service-levels.ts';

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const email = v.pipe(v.string(), v.trim(), v.maxLength(254), v.email());
const level = v.picklist(SERVICE_LEVELS);
/** The secret of a link in an email. Text that can't be one counts as an unknown link. */
const hash = v.pipe(
  v.string(),
  v.maxLength(200),
  v.transform((text) => (/^s-[\w-]{43}$/.test(text) ? text : '')),
);
const prices = v.object({ level, userMills: v.number(), gigabyteMills: v.number() });
const details = { name: nameText(), company: nameText(), level };
const recaptcha = v.object({ isOn: v.boolean(), siteKey: orNull(v.string()) });

/**
 * Where a sign-up is: `details`: its password is missing; `captcha`: its reCAPTCHA is missing; `checkout`: nothing was paid yet; `paying`:
 * Stripe's page was opened, and its message is awaited; `ready`: the account exists.
 */
export const SIGN_UP_STEPS = ['details', 'captcha', 'checkout', 'paying', 'ready'] as const;
const signUp = v.object({
  step: v.picklist(SIGN_UP_STEPS),
  email: v.string(),
  name: v.string(),
  company: v.string(),
  level,
  currency: v.picklist(CURRENCIES),
  prices: orNull(prices),
  levels: v.array(prices),
  recaptcha,
});
export type SignUpOut = v.InferOutput<typeof signUp>;

const PUBLIC = 'public' as const;
const OWN = 'signed-in' as const;
const OVER = ['bad-input', 'forbidden', 'not-found', 'conflict', 'too-many', 'busy'] as const;
const url = v.object({ url: v.string() });
const CARD = [
  'bad-input',
  'forbidden',
  'not-found',
  'conflict',
  'busy',
  'reauth_required',
] as const;

export const signUpCalls = {
  getSignUpOptions: call({
    method: 'GET',
    path: 'o365/provisioning/options',
    summary:
      'Returns whether new customers can sign up, and the service levels that they can choose.',
    input: v.strictObject({}),
    output: v.object({
      isOpen: v.boolean(),
      currency: v.picklist(CURRENCIES),
      levels: v.array(prices),
    }),
    gate: PUBLIC,
    failures: [],
  }),
  signUp: call({
    method: 'POST',
    path: 'o365/provisioning',
    summary:
      'Registers a new customer and emails a link to go on with. The response is the same for a known address, and a repeat changes nothing.',
    input: v.strictObject({ email, ...details }),
    output: v.object({}),
    gate: PUBLIC,
    failures: OVER,
  }),
  verifySignUp: call({
    method: 'POST',
    path: 'o365/provisioning/verify-email',
    summary:
      'Verifies the address by the link of the email, and returns where the sign-up is. `companyId`: of the company that it created; null before.',
    input: v.strictObject({ hash }),
    output: v.object({ ...signUp.entries, companyId: orNull(v.string()) }),
    gate: PUBLIC,
    failures: OVER,
  }),
  completeSignUp: call({
    method: 'POST',
    path: 'o365/provisioning/details',
    summary:
      'Sets the password and corrects the details of a sign-up, until it is paid. `password` can be omitted if one was set.',
    input: v.strictObject({
      hash,
      ...details,
      password: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.passwordChars))),
    }),
    output: signUp,
    gate: PUBLIC,
    failures: OVER,
  }),
  resendSignUp: call({
    method: 'POST',
    path: 'o365/provisioning/resend-verify-email',
    summary: 'Emails the link again. The response is the same for an unknown address.',
    input: v.strictObject({ email }),
    output: v.object({}),
    gate: PUBLIC,
    failures: OVER,
  }),
  validateRecaptcha: call({
    method: 'POST',
    path: 'o365/provisioning/validate-recaptcha',
    summary: 'Checks the response of a reCAPTCHA at Google.',
    input: v.strictObject({
      hash,
      response: v.pipe(v.string(), v.minLength(1), v.maxLength(8_000)),
    }),
    output: signUp,
    gate: PUBLIC,
    failures: OVER,
  }),
  startCheckout: call({
    method: 'POST',
    path: 'o365/provisioning/checkout-session',
    summary:
      "Returns Stripe's page to pay on. `url` is null if the level is free or paid already: the account is created immediately.",
    input: v.strictObject({ hash }),
    output: v.object({ url: orNull(v.string()) }),
    gate: PUBLIC,
    failures: OVER,
  }),
  updateCard: call({
    method: 'POST',
    path: 'o365/checkout/update',
    summary: "Returns Stripe's customer portal, to change the card and see receipts.",
    input: v.strictObject({ companyId: v.optional(companyRef) }),
    output: url,
    gate: OWN,
    failures: CARD,
  }),
  collectCard: call({
    method: 'POST',
    path: 'o365/checkout/ccCollection',
    summary:
      "Returns Stripe's page that collects a card for later payments, if the provider collects cards.",
    input: v.strictObject({ companyId: v.optional(companyRef) }),
    output: url,
    gate: OWN,
    feature: 'billing',
    failures: CARD,
  }),
  subscribeByCard: call({
    method: 'POST',
    path: 'o365/checkout/subscribe',
    summary:
      "Returns Stripe's page on which a company begins to pay its subscription by card. `url` is null if it was paid there already.",
    input: v.strictObject({ companyId: v.optional(companyRef) }),
    output: v.object({ url: orNull(v.string()) }),
    gate: OWN,
    failures: CARD,
  }),
  payInvoiceOnline: call({
    method: 'POST',
    path: 'o365/checkout/invoice',
    summary:
      "Returns QuickBooks' page on which the oldest unpaid invoice of a company's months is paid online, such as by card. `url` is null if QuickBooks offers none.",
    input: v.strictObject({ companyId: v.optional(companyRef) }),
    output: v.object({ url: orNull(v.string()) }),
    gate: OWN,
    failures: CARD,
  }),
  getCheckoutResult: call({
    method: 'GET',
    path: 'o365/checkout/{checkoutId}/success',
    summary: "Returns the result of one of Stripe's pages that the caller's company opened.",
    input: v.strictObject({
      checkoutId: v.pipe(
        v.string(),
        v.maxLength(200),
        v.transform((text) => (/^[\w-]+$/.test(text) ? text : 'none')),
      ),
    }),
    /**
     * `isLinked`: the company's subscription is paid by this card from now on. `isRefused`: it can't be
     * paid by card now, such as after a failed payment. Nothing was charged.
     */
    output: v.object({
      status: v.picklist(['open', 'complete', 'expired']),
      mode: v.picklist(['setup', 'subscription']),
      isLinked: v.boolean(),
      isRefused: v.boolean(),
    }),
    gate: OWN,
    failures: ['forbidden', 'not-found', 'conflict', 'busy'],
  }),
  receiveStripeEvent: call({
    method: 'POST',
    path: 'o365/billing/stripe',
    summary:
      "Receives Stripe's events. The signature over the raw body must be right and at most five minutes old.",
    input: v.unknown(),
    output: v.object({ received: v.boolean() }),
    gate: PUBLIC,
    raw: true,
    failures: ['bad-input', 'too-large', 'busy'],
  }),
} as const;
