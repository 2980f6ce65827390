import { DAY_MS } from '#contract/time/durations.ts';
import { formatTag } from '#contract/i18n/messages.ts';
import { perLanguage } from '#contract/i18n/per-language.ts';
import type { Bytes, Ms, Seconds } from '#contract/ids.ts';
import { uiMessages as t } from './messages.en.ts';

/** `11/20/26 07:46 AM` in the zone. */
export const formatWhen = (at: Ms, zone: string): string =>
  `${formatDate(at, zone)} ${formatTime(at, zone)}`;

/** `07:46 AM` in the zone, with the date if it is a day old or older. */
export const formatRecent = (at: Ms, zone: string, now: Ms): string =>
  now - at < DAY_MS ? formatTime(at, zone) : formatWhen(at, zone);

/** `11/20/26` in the zone, in every language. */
export const formatDate = inZone(() => 'en-US', {
  year: '2-digit',
  month: '2-digit',
  day: '2-digit',
});

/** `07:46 AM` in the zone. */
export const formatTime = inZone(formatTag, { hour: '2-digit', minute: '2-digit' });

/** `07:46:09 AM` in the zone. */
export const formatTimeSeconds = inZone(formatTag, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** `Friday 11/20/26` in the zone. */
export const formatDay = (at: Ms, zone: string): string =>
  `${formatWeekday(at, zone)} ${formatDate(at, zone)}`;
const formatWeekday = inZone(formatTag, { weekday: 'long' });

/** `2026-11-20 07:46:09 UTC`: the exact time, for tooltips. */
export const formatUtc = (at: Ms): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/**
 * Returns the age in one unit, rounded down: `just now`, `12 min ago`, `5 h ago`, `3 days ago`. The
 * future is `just now`.
 */
export function formatAge(at: Ms, now: Ms): string {
  const days = Math.floor((now - at) / DAY_MS);
  if (days > 0) return t.daysAgo({ count: days });
  const span = formatSpan(at, now);
  return span === null ? t.justNow : t.ago({ duration: span });
}

/** The same without `ago`, for narrow columns: `12 min`, `5 h`, `3 d`; null below a minute. */
export function formatSpan(at: Ms, now: Ms): string | null {
  const min = Math.floor((now - at) / 60_000);
  if (min < 1) return null;
  if (min < 60) return t.minutes({ count: min });
  if (min < 24 * 60) return t.hours({ count: Math.floor(min / 60) });
  return t.days({ count: formatCount(Math.floor(min / (24 * 60))) });
}

/**
 * Returns up to two units: `45 s`, `2 min 05 s`, `31 min`, `1 h 38 min`, `2 d 03 h`. Seconds are
 * shown below ten minutes only.
 */
export function formatDuration(seconds: Seconds): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return t.seconds({ count: whole });
  if (whole < 600) return two(t.minutes, Math.floor(whole / 60), t.seconds, whole % 60);
  const min = Math.round(whole / 60);
  if (min < 60) return t.minutes({ count: min });
  if (min < 24 * 60) return two(t.hours, Math.floor(min / 60), t.minutes, min % 60);
  const hours = Math.round(min / 60);
  return two(t.days, Math.floor(hours / 24), t.hours, hours % 24);
}

/**
 * Returns decimal units, with one decimal below a hundred: `0 B`, `512 B`, `9.6 kB`, `96.4 GB`,
 * `1.2 TB`, `340 TB`.
 */
export function formatBytes(bytes: Bytes): string {
  let unit = 0;
  let value = Math.max(0, bytes);
  // 999.5 rounds to 1,000 of a unit, which is 1 of the next.
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const shown = unit === 0 || value >= 99.95 ? Math.round(value) : Math.round(value * 10) / 10;
  return `${formatCount(shown)} ${BYTE_UNITS[unit] ?? ''}`;
}

/** `16,384`. */
export const formatCount = (count: number): string => getCountFormat().format(count);

/** `97.5` of 975. */
export const formatTenths = (tenths: number): string => getTenthsFormat().format(tenths / 10);

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const;
const getCountFormat = perLanguage((tag) => new Intl.NumberFormat(tag));
const getTenthsFormat = perLanguage(
  (tag) => new Intl.NumberFormat(tag, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);

type Unit = (values: { readonly count: number | string }) => string;
const two = (unitA: Unit, a: number, unitB: Unit, b: number): string =>
  b === 0
    ? unitA({ count: a })
    : `${unitA({ count: a })} ${unitB({ count: String(b).padStart(2, '0') })}`;

/**
 * Returns a formatter of moments. Each language and zone has its own formatter of `Intl`, made once.
 * Times in a zone that this browser does not know are shown in UTC.
 */
function inZone(
  getTag: () => string,
  options: Intl.DateTimeFormatOptions,
): (at: Ms, zone: string) => string {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (at, zone) => {
    const tag = getTag();
    const key = `${tag} ${zone}`;
    let format = formats.get(key);
    if (!format) {
      try {
        format = new Intl.DateTimeFormat(tag, { ...options, timeZone: zone });
      } catch {
        format = new Intl.DateTimeFormat(tag, { ...options, timeZone: 'UTC' });
      }
      formats.set(key, format);
    }
    // `Intl` has a narrow no-break space before `AM`.
    return format.format(at).replace('\u202f', ' ');
  };
}
