import { LIMITS } from '../limits.ts';

/**
 * The one line of a tool's output that a person should read, without timestamps, levels and colours, at most `LIMITS.messageChars`
 * long: the gravest line, the first of those. '' where there is none. What it gives, it gives again of itself.
 */
export function firstLine(text: string): string {
  let best = '';
  let bestWeight = -1;
  for (const raw of text.slice(0, READ).split(/[\r\n]+/, LINES)) {
    const { line, level } = plainLine(raw.slice(0, LINE));
    if (line === '') continue;
    const weight = weigh(line, level);
    if (weight > bestWeight) [best, bestWeight] = [line, weight];
    if (weight === MOST) break;
  }
  return cutLine(best, LIMITS.messageChars);
}

/** At most `most` UTF-16 units, never half a character, ended by an ellipsis where something is missing. */
export function cutLine(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = most - 1;
  return `${text.slice(0, isHigh(text.charCodeAt(end - 1)) ? end - 1 : end).trimEnd()}…`;
}

/** How much of a text is looked at. */
const READ = 100_000;
const LINES = 2_000;
const LINE = 1_000;
const MOST = 5;

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** What stands before the message: when it was written, how grave it is, by which part. */
const PREFIXES: readonly RegExp[] = [
  /^[[(]?\d{4}[-/]\d\d[-/]\d\d(?:[T ,]{1,2}\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?[\])]?[ :,-]*/,
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2} (?:\d{4} )?\d\d:\d\d(?::\d\d)? ?(?:[A-Z]{3,4} )?(?:\d{4})?[ :-]*/,
  /^\d{1,2}[-.](?:\d{1,2}|[A-Z][a-z]{2})[-. ](?:\d{2,4} )?\d\d:\d\d(?::\d\d)?[ :-]*/,
  /^[[(]?\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: [AP]M)?[\])]?[ :,-]+/,
];
const LEVEL = /^[[(<]?(panic|fatal|critical|crit|emerg|alert|err|error|failed|failure|warn|warning|notice|info|information|debug|trace|verbose)(?:[\])>]:?|:| [-:|]) */i;
/** Without a sign after it only in capitals: "Failed to copy" begins a sentence. */
const LOUD = /^(PANIC|FATAL|CRITICAL|ERROR|WARN|WARNING|NOTICE|INFO|DEBUG|TRACE) /;

/** One line by itself: its words, and the gravest level that stood before them. */
function plainLine(raw: string): { line: string; level: number } {
  let line = raw.replace(ANSI, '').replace(CONTROL, ' ').replace(/\s+/g, ' ').trim();
  let level = 0;
  for (let before = ''; before !== line;) {
    before = line;
    for (const prefix of PREFIXES) {
      const rest = line.replace(prefix, '');
      if (rest !== '') line = rest.trimStart();
    }
    const found = LEVEL.exec(line) ?? LOUD.exec(line);
    const rest = found === null ? '' : line.slice(found[0].length).trimStart();
    if (found !== null && rest !== '') {
      level = Math.max(level, LEVELS[(found[1] ?? '').toLowerCase()] ?? 0);
      line = rest;
    }
  }
  return { line, level };
}

const LEVELS: Readonly<Record<string, number>> = {
  panic: 5, fatal: 5, critical: 5, crit: 5, emerg: 5, alert: 5, err: 4, error: 4, failed: 4, failure: 4, warn: 3, warning: 3,
};

const GRAVE = /\b(?:fatal|panic|exception|error|errors|failed|failure|fails|cannot|can't|could not|couldn't|unable|denied|refused|wrong|incorrect|invalid|corrupt|corrupted|no space|timed out|timeout|unreachable|not found|does not exist|no such|missing|aborted|killed|interrupted|exceeded|locked)\b/i;
const MILD = /\b(?:warning|skipped|skipping|vanished|changed while|unreadable|retry|retrying|incomplete)\b/i;
/** Lines that hold grave words and say nothing, or say that all is well. */
const IDLE = /^(?:traceback \(|stack trace|goroutine \d|at [\w.$]+\(|file "|caused by:?$|[-=*_#.\s]+$)|\b(?:0|no|without) (?:errors?|failures?|warnings?|files? (?:failed|skipped))\b|\b(?:errors?|failed|failures?|warnings?|skipped):? +0\b/i;

/** A program that only says that another one failed. */
const WRAPPER = /^(?:summary:|\S+: error running (?:actions|configuration|command)|error running (?:actions|configuration|command))/i;
const COMMAND = /^command '.*returned non-zero exit status|^.{0,200}exited with (?:code|status) \d+$/i;

function weigh(line: string, level: number): number {
  if (IDLE.test(line)) return 0;
  if (WRAPPER.test(line)) return 2;
  if (COMMAND.test(line)) return 2.5;
  if (level >= 4) return level;
  return GRAVE.test(line) ? 3.5 : MILD.test(line) || level === 3 ? 3 : /\p{L}/u.test(line) ? 1 : 0.5;
}

const ESCAPE = String.fromCharCode(27);
const ANSI = new RegExp(`${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${ESCAPE}]{0,200}|[@-Z_])`, 'g');
const CONTROL = /\p{Cc}+/gu;
