// How cells look, by ISO/IEC 29500-1, 18.8.30 and 18.17.4.

/** What a number format shows of a date. */
export interface DateFormat {
  readonly hasDate: boolean;
  readonly time: 'none' | 'minutes' | 'seconds' | 'elapsed';
}

/** Formats that files name by their number only. */
const BUILT_IN: ReadonlyMap<number, string> = new Map([
  [14, 'mm-dd-yy'],
  [15, 'd-mmm-yy'],
  [16, 'd-mmm'],
  [17, 'mmm-yy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, 'm/d/yy h:mm'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mmss.0'],
]);

/** Texts, colors, locales, conditions, signs, and the halves of the day. */
const NOT_PARTS = /"[^"]*"?|[\\_*][^]?|\[(?!h+\]|m+\]|s+\])[^\]]*\]?|am\/pm|a\/p/gi;

/** Returns what a format shows of a date; null: it shows a number. `id`: of a format without a code. */
export function getDateFormat(id: number, code: string | undefined): DateFormat | null {
  const [positive = ''] = (code ?? BUILT_IN.get(id) ?? '').replaceAll(NOT_PARTS, '').split(';');
  const parts = positive.toLowerCase();
  if (parts.trim() === 'general' || !/[dmyhs]/.test(parts)) return null;
  const hasTime = /[hs]|\[m/.test(parts);
  return {
    hasDate: hasTime ? /[dy]/.test(parts) : true,
    time: parts.includes('[')
      ? 'elapsed'
      : !hasTime
        ? 'none'
        : parts.includes('s')
          ? 'seconds'
          : 'minutes',
  };
}

const SECONDS_PER_DAY = 86_400;
/** Of the year 10000. */
const MAX_DAYS = 2_958_466;
/** Days that the calendar of 1904 begins after that of 1900. */
const DAYS_UNTIL_1904 = 1_462;

/** Returns a date as ISO 8601 has it, with a space before the time; null: the number is no date. */
export function formatDate(
  serial: number,
  { hasDate, time }: DateFormat,
  isFrom1904: boolean,
): string | null {
  const from1900 = serial + (isFrom1904 && hasDate ? DAYS_UNTIL_1904 : 0);
  if (!(serial >= 0) || from1900 >= MAX_DAYS) return null;
  const seconds = Math.round(from1900 * SECONDS_PER_DAY);
  const days = time === 'none' ? Math.floor(from1900) : Math.floor(seconds / SECONDS_PER_DAY);
  if (time === 'elapsed' && !hasDate)
    return `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  const clock = formatTime(seconds % SECONDS_PER_DAY, time);
  if (!hasDate || (days === 0 && clock !== '')) return clock;
  if (days === 0) return null;
  const date = formatDay(days);
  return clock === '' ? date : `${date} ${clock}`;
}

const two = (n: number): string => String(n).padStart(2, '0');

function formatTime(seconds: number, time: DateFormat['time']): string {
  if (time === 'none') return '';
  const minutes = `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}`;
  return time === 'minutes' ? minutes : `${minutes}:${two(seconds % 60)}`;
}

/** Spreadsheets have a February 29 in 1900, as Lotus 1-2-3 had. */
function formatDay(days: number): string {
  if (days === 60) return '1900-02-29';
  return new Date(Date.UTC(1900, 0, days < 60 ? days : days - 1)).toISOString().slice(0, 10);
}

/** A number with the 15 digits that a spreadsheet has. */
export function formatNumber(text: string): string {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? String(Number(number.toPrecision(15))) : text;
}

/** Characters that XML can't have are written as `_xHHHH_` (ISO/IEC 29500-1, 22.9.2.19). */
export const decodeCharacters = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(/_x([\da-f]{4})_/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : text;
