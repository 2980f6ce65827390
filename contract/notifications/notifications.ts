import * as v from 'valibot';
import { can } from '../abilities.ts';
import type { Ability, Role } from '../abilities.ts';
import type { Features } from '../branding/branding.ts';
import type { Ms } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { isTimeZone, offsetAt } from '../time/day.ts';
import { nameText } from '../text-schema.ts';

/** What somebody can be told of. Each is a fact that the server finds by itself. */
export const NOTIFY_CATEGORIES = [
  'failed',
  'missed',
  'sla',
  'repository',
  'source',
  'ticket',
] as const;
export type NotifyCategory = (typeof NOTIFY_CATEGORIES)[number];

/** Who may be told of it: who may open its page. */
const NEEDS: Readonly<Record<NotifyCategory, Ability>> = {
  failed: 'monitoring.daily-checks',
  missed: 'monitoring.daily-checks',
  sla: 'monitoring.reporting',
  repository: 'monitoring.repositories',
  source: 'monitoring.sources',
  ticket: 'monitoring.tickets',
};
export const categoriesOf = (
  roles: readonly Role[],
  { reporting }: Pick<Features, 'reporting'>,
): readonly NotifyCategory[] =>
  NOTIFY_CATEGORIES.filter((one) => can(roles, NEEDS[one]) && (one !== 'sla' || reporting.enabled));

/** A repository fills up: it will be full within so many days, or so much of it is used. */
export const FULL_SOON_DAYS = 14;
export const FULL_SHARE = 0.95;
/**
 * A source stopped reporting: nothing was heard of it for a day, and all of its jobs are overdue;
 * or nothing for a week, whatever they are.
 */
export const SOURCE_DAY_MS: Ms = 86_400_000;
export const SOURCE_WEEK_MS: Ms = 7 * SOURCE_DAY_MS;
/** A system that is asked counts as silent after so many failures in a row. */
export const SOURCE_FAILS = 3;

const clock = v.pipe(
  v.string(),
  v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expected a time such as 07:30.'),
);
const told = v.strictObject({ mail: v.boolean(), push: v.boolean() });

/** `from` and `to` on the wall of the user's zone; over midnight where `to` is not later. */
const quietSchema = v.strictObject({ on: v.boolean(), from: clock, to: clock });
/**
 * `weekdays`: 1 (Monday) to 7; one of them alone is once a week. `whenWell`: a line also where
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
    v.check((days) => new Set(days).size === days.length, 'Each day once.'),
  ),
});

/** How a user is told. `timeZone`: of the mail's time and of the quiet hours. */
export const NotifySchema = v.strictObject({
  categories: v.strictObject({
    failed: told,
    missed: told,
    sla: told,
    repository: told,
    source: told,
    ticket: told,
  }),
  timeZone: v.pipe(
    v.string(),
    v.maxLength(64),
    v.check(isTimeZone, 'Expected a zone of the IANA list, such as Europe/Berlin.'),
  ),
  quiet: v.pipe(
    quietSchema,
    v.check(({ from, to }) => from !== to, 'Quiet hours have a beginning and another end.'),
  ),
  digest: digestSchema,
});
export type NotifySettings = v.InferOutput<typeof NotifySchema>;

const both = { mail: true, push: true } as const;
/** Before a user has chosen: nothing is sent. What would be is what matters. */
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

const MINUTE: Ms = 60_000;
const DAY: Ms = 86_400_000;
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/**
 * By the clock on the wall: an hour that is shown twice is quiet twice, one that is skipped not at
 * all.
 */
export function isQuiet(
  { on, from, to }: NotifySettings['quiet'],
  timeZone: string,
  now: Ms,
): boolean {
  if (!on) return false;
  const wall = now + offsetAt(now, timeZone);
  const minute = Math.floor((wall - Math.floor(wall / DAY) * DAY) / MINUTE);
  const first = minutesOf(from);
  const end = minutesOf(to);
  return first < end ? minute >= first && minute < end : minute >= first || minute < end;
}

/**
 * The first moment from now on that is not quiet. Minute by minute: right whatever the clocks do,
 * and a day and a half at most.
 */
export function quietUntil(quiet: NotifySettings['quiet'], timeZone: string, now: Ms): Ms {
  let at = now;
  for (let step = 0; step < 2_160 && isQuiet(quiet, timeZone, at); step += 1)
    at = (Math.floor(at / MINUTE) + 1) * MINUTE;
  return at;
}

/** A user name and password have no place in an address that is kept to be read. */
const webhookUrl = v.pipe(
  v.string(),
  v.trim(),
  v.url(),
  v.maxLength(LIMITS.addressChars),
  v.check(
    (url) => /^https?:\/\/[^/?#@]+([/?#]|$)/i.test(url),
    'Give an address that begins with https://, without a user name.',
  ),
);
const companies = v.pipe(
  v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  v.minLength(1),
  v.maxLength(LIMITS.webhookCompanies),
  v.check((all) => new Set(all).size === all.length, 'Each company once.'),
);

/**
 * `companies` null: all of them, those that come later as well; not named: as it was, of a new one
 * all.
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

/** `type` of what is delivered. */
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
