import type { CompanyN, Ms } from '#contract/ids.ts';
import type { RuleFields, RuleWhen, Settled } from '#contract/monitoring/rules.ts';
import { STATE_NAMES } from '#contract/monitoring/rules.ts';
import { formatBytes, formatDate, formatDuration, plural } from '#src/ui/format.ts';
import { SOURCE_WORDS, TYPE_WORDS } from '../daily-checks/words.ts';
import { clockText } from './form.ts';

export const DAY_WORDS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;
export const SETTLED_WORDS: Readonly<Record<Settled, string>> = {
  exception: 'the exception',
  snoozeHours: 'the snooze',
  note: 'the note',
  ticket: 'the ticket',
};

type CompanyName = (n: CompanyN) => string;

/** "When the state is Warning and the message holds “locked”". */
export function whenWords(when: RuleWhen, companyName: CompanyName): string {
  const said: string[] = [];
  const among = (what: string, words: readonly string[]): void => {
    if (words.length > 0) said.push(`${what} is ${orWords(words)}`);
  };
  const holds = (what: string, words: string): void => {
    if (words !== '') said.push(`${what} ${/[*?]/.test(words) ? 'is like' : 'holds'} “${words}”`);
  };
  const between = (
    what: string,
    { least, most }: RuleWhen['bytes'],
    text: (value: number) => string,
  ): void => {
    if (least !== null && most !== null) said.push(`${what} ${text(least)} to ${text(most)}`);
    else if (least !== null) said.push(`${what} ${text(least)} or more`);
    else if (most !== null) said.push(`${what} ${text(most)} or less`);
  };
  among(
    'the state',
    when.states.map((state) => STATE_NAMES[state]),
  );
  holds('the message', when.text);
  holds('the job', when.job);
  holds('the computer', when.computer);
  among('the company', when.companies.map(companyName));
  among(
    'the source',
    when.sources.map((source) => SOURCE_WORDS[source]),
  );
  among(
    'the type',
    when.types.map((type) => TYPE_WORDS[type]),
  );
  between('it took', when.duration, formatDuration);
  between('it transferred', when.bytes, formatBytes);
  between('it is like that', when.streak, (count) => plural(count, 'result'));
  if (when.time !== null) {
    const { days, from, to } = when.time;
    said.push(
      `it started${days.length === 0 ? '' : ` on ${orWords(days.map((day) => DAY_WORDS[day - 1] ?? ''))}`}${from === to ? '' : ` from ${clockText(from)} to ${clockText(to)}`}`,
    );
  }
  return `When ${said.join(', and ')}`;
}

/** "then it counts as OK, with a note". */
export function doesWords({
  exception,
  snoozeHours,
  note,
  ticket,
  hint,
  notify,
}: RuleFields['does']): string {
  const said = [
    exception ? 'it is known and counts as OK' : '',
    snoozeHours === null ? '' : `it is snoozed for ${hoursText(snoozeHours)}`,
    note === null ? '' : 'a note is put to it',
    ticket === null ? '' : `it is tied to ticket ${ticket}`,
    hint === null ? '' : 'a hint is shown with it',
    notify.length === 0
      ? ''
      : `${plural(notify.length, 'user')} ${notify.length === 1 ? 'is' : 'are'} told by mail`,
  ].filter((words) => words !== '');
  return `then ${said.join(', ')}`;
}

/** Between which days it acts; empty where always. */
export function datesWords(
  { from, to }: Pick<RuleFields, 'from' | 'to'>,
  zone: string,
  now: Ms,
): string {
  const last = to === null ? null : formatDate(to - 1, zone);
  if (last !== null && to !== null && to <= now) return `over since ${last}`;
  if (from !== null && last !== null) return `${formatDate(from, zone)} to ${last}`;
  return from !== null ? `from ${formatDate(from, zone)}` : last === null ? '' : `until ${last}`;
}

const hoursText = (hours: number): string =>
  hours % 24 === 0 ? plural(hours / 24, 'day') : plural(hours, 'hour');
export const orWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
