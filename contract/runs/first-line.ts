import { LIMITS } from '../limits.ts';
import { cutText } from '../stored-text.ts';

/**
 * Returns the one line of a tool's output that a person should read: the reason of a failure.
 * Removes timestamps, program names, levels and colors, and shortens it to `LIMITS.messageChars`.
 * Returns '' if there is none. The reason of a reason is the reason itself.
 *
 * Every line gets a score, and the highest wins (of equal scores the first line, or with `last` the
 * last):
 *
 * - 7: a fatal line that names a condition ("Fatal: wrong password").
 * - 6: an error line that names a condition ("ERROR : a.txt: permission denied").
 * - 5.5: a line without a level that names a condition ("ssh: connect to host …: Connection
 *   refused").
 * - 5.4: the exception at the end of a traceback, if it names a condition.
 * - 5, 4.5, 4.4: a fatal line, an error line, an exception without known words.
 * - 4.2: a warning that names a condition.
 * - 4: a line with a word of failure.
 * - 3: any other warning.
 * - 2.5: "command … returned non-zero exit status".
 * - 2: "Backup failed", "3 errors", which only say that something else failed.
 * - 1: any other text.
 * - 0.2: progress and totals, what a program says about itself, and the inside of a traceback.
 */
export function firstLine(text: string, which: 'first' | 'last' = 'first'): string {
  let best = '';
  let bestScore = -1;
  let inTraceback = false;
  for (const raw of getLines(text)) {
    const stamped = plainLine(raw);
    if (stamped.line === '') continue;
    const inside: boolean = inTraceback && /^\s/.test(stamped.rest);
    const raised = inTraceback && !inside;
    inTraceback = TRACEBACK.test(stamped.line) || inside;
    const score = inside ? 0.2 : scoreLine(stamped.line, stamped.level, raised);
    if (score > bestScore || (score === bestScore && which === 'last'))
      [best, bestScore] = [stamped.line, score];
    if (score === HIGHEST && which === 'first') break;
  }
  return cutLine(best, LIMITS.messageChars);
}

/**
 * Returns the lines of the beginning and the end of a long text, because a failed run usually gives
 * the reason at its end.
 */
function getLines(text: string): readonly string[] {
  if (text.length <= READ) return clipped(text);
  return [...clipped(text.slice(0, READ / 4)), ...clipped(text.slice(-(READ / 4) * 3), true)];
}

function clipped(text: string, fromEnd = false): readonly string[] {
  const lines = text.split(/[\r\n]+/);
  return lines.length <= LINES ? lines : fromEnd ? lines.slice(-LINES) : lines.slice(0, LINES);
}

/**
 * Returns whether a reason only says that something failed, but not why: "Backup failed", "restic
 * ended with exit code 1."
 */
export const saysLittle = (reason: string): boolean => {
  const { line, level } = plainLine(reason);
  return (
    line === '' ||
    FALLBACK.test(line) ||
    (scoreLine(line, level, false) < 3 && scoreLine(line, level, false) !== 1)
  );
};

/**
 * Returns at most `max` UTF-16 units without splitting a character. If the text is shortened, it
 * ends with an ellipsis.
 */
export function cutLine(text: string, max: number): string {
  return text.length <= max ? text : `${cutText(text, max - 1).trimEnd()}…`;
}

/** How many characters of a text are read. */
const READ = 100_000;
const LINES = 2_000;
const LINE = 1_000;
/** The maximum length of a line that is parsed as JSON. */
const JSON_LINE = 8_000;
const HIGHEST = 7;

/** Prefixes of a message: timestamp and program. */
const PREFIXES: readonly RegExp[] = [
  /^[[(]?\d{4}[-/]\d\d[-/]\d\d(?:[T ,]{1,2}\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?[\])]?[ :,-]*/,
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2} (?:\d{4} )?\d\d:\d\d(?::\d\d)? ?(?:[A-Z]{3,4} )?(?:\d{4})?[ :-]*/,
  /^\d{1,2}[-.](?:\d{1,2}|[A-Z][a-z]{2})[-. ](?:\d{2,4} )?\d\d:\d\d(?::\d\d)?[ :-]*/,
  /^[[(]?\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: [AP]M)?[\])]?[ :,-]+/,
  // Daemons of Bacula and Bareos, and their source file and line.
  /^[\w.-]{1,128} JobId \d{1,10}: ?/,
  /^[a-z][\w-]{0,40}\.(?:c|cc|cpp|h):\d{1,6}(?:-\d{1,10})? /,
  // Syslog: `host program[pid]: `.
  /^(?:[\w.-]{1,128} )?[\w./@-]{1,64}\[\d{1,10}\]: /,
];
const LEVEL =
  /^[[(<]?(panic|fatal(?: error)?|critical|crit|emerg|alert|err|error|failed|failure|warn|warning|notice|info|information|debug|trace|verbose)(?:[\])>]:?|:| [-:|]) */i;
/**
 * Levels without punctuation count only in capitals, because "Failed to copy" begins a sentence.
 */
const LOUD = /^(PANIC|FATAL|CRITICAL|ERROR|WARN|WARNING|NOTICE|INFO|DEBUG|TRACE) /;

interface PlainLine {
  readonly line: string;
  /** The severity that the program itself gives: 5 fatal, 4 error, 3 warning, 0 anything else. */
  readonly level: number;
  /** The line after its timestamp, with its indentation. */
  readonly rest: string;
}

/** Returns the text of one line without prefixes, and the most severe level among them. */
function plainLine(raw: string): PlainLine {
  const details = saidInJson(raw);
  let line = details.text.slice(0, LINE).replace(ANSI, '').replace(CONTROL, ' ');
  const rest = line;
  line = line.replace(/\s+/g, ' ').trim();
  let level = details.level;
  for (let before = ''; before !== line;) {
    before = line;
    for (const prefix of PREFIXES) {
      const after = line.replace(prefix, '');
      if (after !== '') line = after.trimStart();
    }
    const found = LEVEL.exec(line) ?? LOUD.exec(line);
    const after = found === null ? '' : line.slice(found[0].length).trimStart();
    if (found !== null && after !== '') {
      level = Math.max(level, getLevel(found[1] ?? ''));
      line = after;
    }
    // Bacula's logs end lines with a stray backslash.
    const end = line.replace(/\s*\\+$/, '');
    if (end !== '') line = end;
  }
  return { line, level, rest };
}

/** Returns message and level of a JSON log line. Any other line is its own message. */
function saidInJson(raw: string): { readonly text: string; readonly level: number } {
  let text = raw;
  let level = 0;
  for (
    let depth = 0;
    depth < 5 && text.length <= JSON_LINE && /^\s*\{"/.test(text) && /\}\s*$/.test(text);
    depth++
  ) {
    let line: Readonly<Record<string, unknown>>;
    try {
      line = JSON.parse(text) as Readonly<Record<string, unknown>>;
    } catch {
      break;
    }
    const message = line['msg'] ?? line['message'];
    if (typeof message !== 'string' || message.trim() === '') break;
    const named = line['level'] ?? line['levelname'] ?? line['severity'];
    if (typeof named === 'string') level = Math.max(level, getLevel(named));
    text = message.trim().split(/[\r\n]+/, 1)[0] ?? '';
  }
  return { text, level };
}

const getLevel = (name: string): number => LEVELS[name.toLowerCase().split(' ')[0] ?? ''] ?? 0;
const LEVELS: Readonly<Record<string, number>> = {
  panic: 5,
  fatal: 5,
  critical: 5,
  crit: 5,
  emerg: 5,
  alert: 5,
  err: 4,
  error: 4,
  failed: 4,
  failure: 4,
  warn: 3,
  warning: 3,
};

const GRAVE =
  /\b(?:fatal|panic|exception|error|errors|failed|failure|fails|cannot|can't|could not|couldn't|unable|denied|refused|wrong|incorrect|invalid|corrupt|corrupted|no space|timed out|timeout|unreachable|not found|does not exist|no such|missing|aborted|killed|interrupted|exceeded|locked|needs \d+ arguments?)\b/i;
const MILD =
  /\b(?:warning|skipped|skipping|vanished|changed while|unreadable|retry|retrying|incomplete)\b/i;
/** Words that name the condition itself, so that a reader knows where to look. */
const CONDITION =
  /\b(?:permission denied|access (?:is |was )?denied|not permitted|no space|not enough (?:free |disk )?space|disk (?:is )?full|quota|read-only file ?system|file too (?:big|large)|connection (?:refused|reset|closed|timed out|lost)|no route to host|unreachable|no such (?:host|file|device|bucket)|name resolution|could not resolve|unknown host|not known|timed out|timeout|deadline exceeded|(?:wrong|incorrect|invalid|bad) (?:pass|user|key|cred|token|sign)\w*|(?:password|passphrase)\b.{0,80}\b(?:incorrect|wrong|required|rejected)|authenticat\w*|unauthori[sz]ed|forbidden|certificate|x509|host key|checksum|corrupt(?:ed|ion)?|mismatch|input\/output error|i\/o error|(?:already|is) locked|the lock\b|resource busy|in use by|do(?:es)? not exist|not found|unknown (?:flag|option|command|shorthand)|errno \d|err=\S|already exists|out of memory|quota exceeded|limit reached|duration reached|broken pipe)/i;
/** Lines with severe words that say nothing, or that say all is well. */
const IDLE =
  /^(?:stack trace|goroutine \d|at [\w.$]+\(|file "|caused by:?$|during handling of the above exception|the above exception was|[-=*_#.\s^~]+$)|\b(?:0|no|without) (?:errors?|failures?|warnings?|files? (?:failed|skipped))\b|\b(?:errors?|failed|failures?|warnings?|skipped):? +0\b/i;
/** Progress, totals, and what a program says about itself and its environment. */
const PROGRESS =
  /^(?:transferred|checks|deleted|renamed|elapsed time|eta|progress|scanning|processed|usage|flags|use "):?(?: |$)|^\[?\d{1,2}:\d\d\]? {0,3}\d|^\d{1,3}(?:\.\d+)? ?%|^\* .{0,200}: *\d+% \/|^(?:platform|linux|borg|pid|sys\.argv|ssh_original_command|python|version|user.agent): | - using defaults$/i;
const TRACEBACK = /^traceback \(most recent call last\)/i;
const EXCEPTION =
  /^(?:caused by: )?[\p{L}_][\w.$]{0,200}(?:error|exception|failed|failure|interrupt|exit|timeout|refused)\b(?:: |$)/iu;

/** A line that only says that something else failed, or how many did. */
const SUMMARY =
  /^(?:summary:|\S+: error running (?:actions|configuration|command)|error running (?:actions|configuration|command)|errors?: +\d|fatal error received|local exception$|not deleting \S+ as there were|attempt \d+\/\d+ (?:failed|succeeded)[^:]{0,60}$|(?:bacula|bareos) \S+ \d+\.\d+|termination:|no job status returned)|^(?:(?:the|your|this|at least one|some|an?|one or more) )?(?:\S+ )?(?:backup|job|snapshot|sync|copy|restore|operation|process|command|task|run|script|execution|archive|files?|errors?|warnings?|failures?)(?: \S+){0,3}? (?:has |have |was |were |is |ended |finished |completed |occurr?ed |terminated )*(?:failed|error|errors|aborted|unsuccessful(?:ly)?|occurr?ed|with errors?|not successful)[.!]*$|^\d+ (?:errors?|failures?|files? failed)\b.{0,40}$|\bsee (?:the )?(?:log|above|below)/i;
/** Texts used if a tool gave no reason. */
const FALLBACK =
  /^\S+ ended with exit code \d+|^ended (?:with|well|in)\b|^reported as failed\.$|^some entries failed\.$|^no result since the start$|^at least one source file could not be read\.$|^incomplete\.$|^(?:failed|error|warning) without a message$|^JobStatus \w$|^duplicati ended with|does not say how it ended\.$|says that the job failed, and not why\.$/i;
const COMMAND =
  /^command '.*returned non-zero exit status|^.{0,200}exited with (?:code|status) \d+\.?$|^(?:process |command )?(?:exit|return|terminated with)(?:ed)? ?(?:error )?(?:code|status)[ :=]*\d+\.?$|^terminating with (?:success|error|warning) status/i;

function scoreLine(line: string, level: number, raised: boolean): number {
  if (TRACEBACK.test(line) || IDLE.test(line)) return 0;
  if (PROGRESS.test(line)) return 0.2;
  if (COMMAND.test(line)) return 2.5;
  const suspect = level >= 3 || GRAVE.test(line) || MILD.test(line) || raised;
  if (!suspect) return CONDITION.test(line) ? 4 : /\p{L}/u.test(line) ? 1 : 0.5;
  const condition = CONDITION.test(line);
  if (SUMMARY.test(line) && !(condition && level >= 4)) return 2;
  if (level === 5) return condition ? 7 : 5;
  if (level === 4) return condition ? 6 : 4.5;
  if (level === 3) return condition ? 4.2 : 3;
  if (raised || EXCEPTION.test(line)) return condition ? 5.4 : 4.4;
  if (condition) return MILD.test(line) ? 4.2 : 5.5;
  return GRAVE.test(line) ? 4 : 3;
}

const ESCAPE = String.fromCharCode(27);
const ANSI = new RegExp(`${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${ESCAPE}]{0,200}|[@-Z_])`, 'g');
const CONTROL = /\p{Cc}+/gu;
