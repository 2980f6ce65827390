import type { HintWhen } from '#contract/hints/hints.ts';
import { KIND_WORDS, SOURCE_WORDS } from '../shared/runs/labels.ts';
import { formatList } from '#contract/i18n/list.ts';

/** "When the message holds “disk full”, and the source is restic". */
export function whenWords({ text, kinds, sources }: HintWhen): string {
  const said: string[] = [];
  if (text !== '') said.push(`the message ${/[*?]/.test(text) ? 'is like' : 'holds'} “${text}”`);
  if (kinds.length > 0)
    said.push(
      `the kind of problem is ${formatList(
        kinds.map((kind) => KIND_WORDS[kind]),
        'or',
      )}`,
    );
  if (sources.length > 0)
    said.push(
      `the source is ${formatList(
        sources.map((source) => SOURCE_WORDS[source]),
        'or',
      )}`,
    );
  return said.length === 0 ? '' : `When ${said.join(', and ')}`;
}
