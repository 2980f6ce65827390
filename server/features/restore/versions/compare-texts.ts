import type { OutputOf } from '#contract/calls.ts';
import { diffLines } from './diff-lines.ts';
import type { VersionText } from './read-version.ts';

type Compared = Pick<OutputOf<'compareItemVersions'>, 'lines' | 'reason'>;
const MAX_CHANGES = 1_000;

/** Compares two texts line by line. */
export function compareLines(before: VersionText, after: VersionText): Compared {
  if (before.lines === null || after.lines === null)
    return { lines: null, reason: before.reason ?? after.reason };
  const lines = diffLines(before.lines, after.lines, MAX_CHANGES);
  return lines === null
    ? { lines: null, reason: 'too-different' }
    : { lines: [...lines], reason: null };
}

/** Whether two mails have the same text, and attachments of the same names. */
export const isSameText = (
  before: VersionText,
  after: VersionText,
  lines: Compared['lines'],
): boolean =>
  lines?.every(({ kind }) => kind === 'same') === true &&
  getAttachments(before) === getAttachments(after);

const getAttachments = ({ fields }: VersionText): string =>
  fields.find(({ name }) => name === 'attachments')?.value ?? '';
