import { formatList } from '#contract/i18n/list.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import type { HintWhen } from '#contract/hints/hints.ts';
import { PROBLEM_KIND_LABELS } from '#src/features/shared/runs/labels.ts';
import { hintMessages as t } from './messages.en.ts';

/** `When the message contains “disk full” and the source is restic.`; empty without conditions. */
export function conditionsText({ text, kinds, sources }: HintWhen): string {
  const conditions = [
    text !== '' && (/[*?]/.test(text) ? t.messageIsLike({ text }) : t.messageHas({ text })),
    kinds.length > 0 &&
      t.kindIs({
        kinds: formatList(
          kinds.map((kind) => PROBLEM_KIND_LABELS[kind]),
          'or',
        ),
      }),
    sources.length > 0 &&
      t.sourceIs({
        sources: formatList(
          sources.map((source) => SOURCE_NAMES[source]),
          'or',
        ),
      }),
  ].filter((condition) => condition !== false);
  return conditions.length === 0 ? '' : t.when({ conditions: formatList(conditions, 'and') });
}
