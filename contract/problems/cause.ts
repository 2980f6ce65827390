import { firstLine } from '../runs/first-line.ts';
import { kindOfCause } from './problem-kind.ts';
import { rules } from './cause-marks.ts';
import { withoutNames } from './cause-names.ts';
import type { ProblemKind } from '../runs/vocabulary.ts';

/**
 * A cause in the sense of RUN-5: the fixed words of a failure, with ‹marks› where failures with the
 * same cause differ.
 */
export interface Cause {
  readonly template: string;
  readonly kind: ProblemKind;
}

/** Maximum length of a template, in UTF-16 units. */
export const TEMPLATE_CHARS = 300;

/**
 * Returns the cause of a failure's text: its first meaningful line, with variable parts replaced by
 * marks (RUN-5). `names`: the known names of this computer or server, because a bare name looks
 * like any other word. The template of a template is the template itself. A template is never
 * empty.
 */
export function getTemplate(message: string, names: readonly string[] = []): Cause {
  const key = `${names.join('\0')}\n${message}`;
  if (key.length > REMEMBERED_CHARS) return read(message, names);
  let cause = remembered.get(key);
  if (cause === undefined) {
    cause = read(message, names);
    if (remembered.size >= 2_000) remembered.clear();
    remembered.set(key, cause);
  }
  return cause;
}

/** A cache, because the same failures recur. */
const remembered = new Map<string, Cause>();
const REMEMBERED_CHARS = 2_000;

function read(message: string, names: readonly string[]): Cause {
  const line = withoutNames(firstLine(message), names);
  // The first round removes most of what differs, so the rest of the way is often known.
  const once = line === '' ? '' : round(line);
  let cause = settled.get(once);
  if (cause === undefined) {
    cause = settle(once);
    if (settled.size >= 2_000) settled.clear();
    settled.set(once, cause);
  }
  return cause;
}

/** A cache by the text after the first round. */
const settled = new Map<string, Cause>();

function settle(once: string): Cause {
  let text = once;
  // Each iteration removes plain characters or shortens the text, so the loop ends.
  for (let before = ''; before !== text;) {
    before = text;
    text = round(text);
  }
  const template = text === '' ? 'No message' : text;
  return { template, kind: kindOfCause(template) };
}

function round(text: string): string {
  let next = text;
  for (const [pattern, mark, needs] of rules()) {
    if (needs.test(next))
      next = next.replace(pattern, (found: string, ...groups: unknown[]) =>
        found.startsWith('‹') ? found : mark(found, groups),
      );
  }
  next = next
    .replace(/(‹[a-z]+›)(?:[\s,;|&+:=-]{0,3}\1)+/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return firstLine(cut(next)).replace(/…$/, '').trim();
}

/** Shortens a template without cutting through a mark. */
function cut(text: string): string {
  if (text.length <= TEMPLATE_CHARS) return text;
  const head = text.slice(0, TEMPLATE_CHARS);
  const open = head.lastIndexOf('‹');
  const whole = open > head.lastIndexOf('›') ? head.slice(0, open) : head;
  const space = whole.lastIndexOf(' ');
  return (space > TEMPLATE_CHARS / 2 ? whole.slice(0, space) : whole).trim();
}
