import { restoreMessages as t } from '../../shared/restore.messages.en.ts';

/** A message is one line: the first names, and how many more. */
const MAX_NAMED = 10;

export function joinNames(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMED).join(', ');
  const count = names.length - MAX_NAMED;
  return count > 0 ? t.andOthers({ names: first, count }) : first;
}

export const joinSentences = (first: string, second: string): string =>
  second === '' ? first : `${first} ${second}`;
