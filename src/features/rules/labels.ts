import type { CompanyN, Ms } from '#contract/ids.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import { formatList } from '#contract/i18n/list.ts';
import type { RuleFields, RuleWhen, Settled } from '#contract/rules/rules.ts';
import { STATES } from '#src/ui/states.ts';
import { formatBytes, formatDate, formatDuration } from '#src/ui/format.ts';
import { TYPE_WORDS } from '../shared/runs/labels.ts';
import { clockText } from './form.ts';
import { ruleMessages as t } from './messages.en.ts';

export const DAY_NAMES = [
  t.monday,
  t.tuesday,
  t.wednesday,
  t.thursday,
  t.friday,
  t.saturday,
  t.sunday,
] as const;
const SETTING_NAMES: Readonly<Record<Settled, string>> = {
  exception: t.settingException,
  snoozeHours: t.settingSnooze,
  note: t.settingNote,
  ticket: t.settingTicket,
};

type CompanyName = (n: CompanyN) => string;

/** `When the state is Warning and the message contains “locked”: mark as OK and add a note.` */
export function ruleText(
  { when, does }: Pick<RuleFields, 'when' | 'does'>,
  companyName: CompanyName,
): string {
  const conditions = formatList(conditionTexts(when, companyName), 'and');
  const actions = formatList(actionTexts(does), 'and');
  return actions === '' ? t.whenOnly({ conditions }) : t.whenThen({ conditions, actions });
}

const joinAlternatives = (names: readonly string[]): string => formatList(names, 'or');

function conditionTexts(when: RuleWhen, companyName: CompanyName): string[] {
  const { states, companies, sources, types, duration, bytes, streak, time } = when;
  return [
    states.length > 0 &&
      t.stateIs({ states: joinAlternatives(states.map((state) => STATES[state].label)) }),
    textCondition(when.text, t.messageHas, t.messageIsLike),
    textCondition(when.job, t.jobHas, t.jobIsLike),
    textCondition(when.computer, t.computerHas, t.computerIsLike),
    companies.length > 0 &&
      t.companyIs({ companies: joinAlternatives(companies.map(companyName)) }),
    sources.length > 0 &&
      t.sourceIs({ sources: joinAlternatives(sources.map((source) => SOURCE_NAMES[source])) }),
    types.length > 0 &&
      t.typeIs({ types: joinAlternatives(types.map((type) => TYPE_WORDS[type])) }),
    isBounded(duration) && t.took({ range: rangeText(duration, formatDuration) }),
    isBounded(bytes) && t.transferred({ range: rangeText(bytes, formatBytes) }),
    isBounded(streak) && t.inARow({ range: rangeText(streak, (count) => t.times({ count })) }),
    time !== null && startText(time),
  ].filter((text) => text !== false);
}

/** A text with `*` or `?` must match completely; without them it is a substring search. */
const textCondition = (
  text: string,
  contains: (values: { text: string }) => string,
  matches: (values: { text: string }) => string,
): string | false => text !== '' && (/[*?]/.test(text) ? matches({ text }) : contains({ text }));

const isBounded = ({ min, max }: RuleWhen['bytes']): boolean => min !== null || max !== null;
function rangeText({ min, max }: RuleWhen['bytes'], format: (value: number) => string): string {
  if (min === null) return t.atMost({ max: format(max ?? 0) });
  return max === null
    ? t.atLeast({ min: format(min) })
    : t.between({ min: format(min), max: format(max) });
}

function startText(time: NonNullable<RuleWhen['time']>): string {
  const days = formatList(
    time.days.map((day) => DAY_NAMES[day - 1] ?? ''),
    'or',
  );
  const [from, to] = [clockText(time.from), clockText(time.to)];
  if (from === to) return days === '' ? t.startedAnyTime : t.startedOn({ days });
  return days === '' ? t.startedBetween({ from, to }) : t.startedOnBetween({ days, from, to });
}

const actionTexts = ({
  exception,
  snoozeHours,
  note,
  ticket,
  hint,
  notify,
}: RuleFields['does']): string[] =>
  [
    exception && t.doMarkAsOk,
    snoozeHours !== null && t.doSnooze({ duration: hoursText(snoozeHours) }),
    note !== null && t.doNote,
    ticket !== null && t.doTicket({ ticket }),
    hint !== null && t.doHint,
    notify.length > 0 && t.doEmail({ count: notify.length }),
  ].filter((text) => text !== false);

/** Describes how another rule and this one share `count` results. */
export function conflictText(count: string, isAbove: boolean, same: readonly Settled[]): string {
  if (same.length === 0) return t.otherMatches({ count });
  const settings = formatList(
    same.map((setting) => SETTING_NAMES[setting]),
    'and',
  );
  return isAbove ? t.otherWins({ count, settings }) : t.otherLoses({ count, settings });
}

/** Describes the days on which a rule applies; empty if always. */
export function datesText(
  { from, to }: Pick<RuleFields, 'from' | 'to'>,
  zone: string,
  now: Ms,
): string {
  const first = from === null ? null : formatDate(from, zone);
  const last = to === null ? null : formatDate(to - 1, zone);
  if (last !== null && to !== null && to <= now) return t.endedOn({ day: last });
  if (first !== null && last !== null) return t.fromTo({ from: first, to: last });
  if (first !== null) return t.fromDay({ day: first });
  return last === null ? '' : t.untilDay({ day: last });
}

const hoursText = (hours: number): string =>
  hours % 24 === 0 ? t.durationDays({ days: hours / 24 }) : t.durationHours({ hours });
