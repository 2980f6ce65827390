import * as v from 'valibot';
import { can } from '../abilities.ts';
import type { Ability, Role } from '../abilities.ts';
import type { Features } from '../branding/branding.ts';
import type { Ms } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { isTimeZone, offsetAt } from '../time/day.ts';
import { nameText } from '../text-schema.ts';
import { DAY_MS, MINUTE_MS } from '../time/durations.ts';
import { notificationInputMessages as t } from './messages.en.ts';

/** The categories of notifications. Each is a fact that the server detects. */
export const NOTIFY_CATEGORIES = [
  'failed',
  'missed',
  'sla',
  'repository',
  'source',
  'ticket',
] as const;
export type NotifyCategory = (typeof NOTIFY_CATEGORIES)[number];

/** The ability that a category requires: that of its page. */
const NEEDS: Readonly<Record<NotifyCategory, Ability>> = {
  failed: 'monitoring.daily-checks',
  missed: 'monitoring.daily-checks',
  sla: 'monitoring.reporting',
  repository: 'monitoring.repositories',
  source: 'monitoring.sources',
  ticket: 'monitoring.tickets',
};
export const getCategories = (
  roles: readonly Role[],
  { reporting }: Pick<Features, 'reporting'>,
): readonly NotifyCategory[] =>
  NOTIFY_CATEGORIES.filter((one) => can(roles, NEEDS[one]) && (one !== 'sla' || reporting.enabled));

/**
 * A repository counts as filling up if it will be full within this many days, or if this share of
 * it is used.
 */
export const FULL_SOON_DAYS = 14;
export const FULL_SHARE = 0.95;
/**
 * A source counts as silent if it sent nothing for a day and all of its jobs are overdue, or if it
 * sent nothing for a week.
 */
export const SOURCE_DAY_MS: Ms = 86_400_000;
export const SOURCE_WEEK_MS: Ms = 7 * SOURCE_DAY_MS;
/** A connection counts as silent after this many failures in a row. */
export const SOURCE_FAILS = 3;

const clock = v.pipe(
  v.string(),
  v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, () => t.time),
);
const details = v.strictObject({ mail: v.boolean(), push: v.boolean() });

/**
 * `from` and `to` are local times in the user's zone. The range crosses midnight if `to` isn't
 * later than `from`.
 */
const quietSchema = v.strictObject({ on: v.boolean(), from: clock, to: clock });
/**
 * `weekdays`: 1 (Monday) to 7; a single day means once a week. `whenWell`: send the digest even if
 * nothing is broken.
 */
const digestSchema = v.strictObject({
  on: v.boolean(),
  at: clock,
  whenWell: v.boolean(),
  weekdays: v.pipe(
    v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(7))),
    v.minLength(1),
    v.maxLength(7),
    v.check(
      (days) => new Set(days).size === days.length,
      () => t.daysOnce,
    ),
  ),
});

/**
 * A user's notification settings. `timeZone` applies to the time of the digest and to the quiet
 * hours.
 */
export const NotifySchema = v.strictObject({
  categories: v.strictObject({
    failed: details,
    missed: details,
    sla: details,
    repository: details,
    source: details,
    ticket: details,
  }),
  timeZone: v.pipe(
    v.string(),
    v.maxLength(64),
    v.check(isTimeZone, () => t.timeZone),
  ),
  quiet: v.pipe(
    quietSchema,
    v.check(
      ({ from, to }) => from !== to,
      () => t.quietHours,
    ),
  ),
  digest: digestSchema,
});
export type NotifySettings = v.InferOutput<typeof NotifySchema>;

const both = { mail: true, push: true } as const;
/**
 * Returns the initial settings for a user without saved ones. The server sends nothing to such a
 * user.
 */
export const notifyDefaults = (timeZone: string): NotifySettings => ({
  categories: {
    failed: both,
    missed: both,
    sla: both,
    repository: { mail: true, push: false },
    source: both,
    ticket: { mail: true, push: false },
  },
  timeZone,
  quiet: { on: false, from: '20:00', to: '06:00' },
  digest: { on: false, at: '07:30', weekdays: [1, 2, 3, 4, 5], whenWell: false },
});

const getMinutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/**
 * Returns whether it is quiet at a moment, by local time: an hour that the clocks repeat is quiet
 * twice, and one that they skip isn't quiet at all.
 */
export function isQuiet(
  { on, from, to }: NotifySettings['quiet'],
  timeZone: string,
  now: Ms,
): boolean {
  if (!on) return false;
  const wall = now + offsetAt(now, timeZone);
  const minute = Math.floor((wall - Math.floor(wall / DAY_MS) * DAY_MS) / MINUTE_MS);
  const first = getMinutes(from);
  const end = getMinutes(to);
  return first < end ? minute >= first && minute < end : minute >= first || minute < end;
}

/**
 * Returns the first moment from now on that isn't quiet. It searches minute by minute, for at most
 * a day and a half, so it is correct whatever the clocks do.
 */
export function quietUntil(quiet: NotifySettings['quiet'], timeZone: string, now: Ms): Ms {
  let at = now;
  for (let step = 0; step < 2_160 && isQuiet(quiet, timeZone, at); step += 1)
    at = (Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS;
  return at;
}

/** An http(s) address without credentials, because it is stored readably. */
const webhookUrl = v.pipe(
  v.string(),
  v.trim(),
  v.url(),
  v.maxLength(LIMITS.addressChars),
  v.check(
    (url) => /^https?:\/\/[^/?#@]+([/?#]|$)/i.test(url),
    () => t.address,
  ),
);
const companies = v.pipe(
  v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  v.minLength(1),
  v.maxLength(LIMITS.webhookCompanies),
  v.check(
    (all) => new Set(all).size === all.length,
    () => t.companiesOnce,
  ),
);

/**
 * `companies` null: all companies, including future ones. If left out: unchanged, or all companies
 * for a new webhook.
 */
export const WebhookSchema = v.strictObject({
  name: nameText(),
  url: webhookUrl,
  enabled: v.boolean(),
  categories: v.pipe(
    v.array(v.picklist(NOTIFY_CATEGORIES)),
    v.minLength(1),
    v.maxLength(NOTIFY_CATEGORIES.length),
  ),
  companies: v.optional(v.nullable(companies)),
});
export type WebhookFields = v.InferOutput<typeof WebhookSchema>;

/** The `type` of a delivery. */
export const WEBHOOK_TYPES: Readonly<Record<NotifyCategory | 'test', string>> = {
  failed: 'job.failed',
  missed: 'job.missed',
  sla: 'sla.broken',
  repository: 'repository.filling',
  source: 'source.silent',
  ticket: 'ticket.closed',
  test: 'test',
};

export const DELIVERY_STATES = ['waiting', 'sent', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
