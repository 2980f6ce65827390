import type { UserId } from '../ids.ts';
import { storedIdSchema } from '../id-schema.ts';
import * as v from 'valibot';
import { renameHint, withFormerNames } from '../former-fields.ts';
import { LIMITS } from '../limits.ts';
import { getPattern, PatternSchema, getTexts } from '../pattern.ts';
import { PROBLEM_KINDS, SOURCES } from '../runs/vocabulary.ts';
import type { ProblemKind, Source } from '../runs/vocabulary.ts';
import { nameText } from '../text-schema.ts';

/**
 * Hints: how to solve a problem that somebody has solved before. A hint is shown with every result
 * that it matches, and the portal counts where it helped.
 */
const uuid = v.pipe(v.string(), v.uuid());
const text = (max: number) => v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(max));

/**
 * All conditions must match; an empty one always does. `text` is searched in the message and in its
 * cause.
 */
export const HintWhenSchema = v.strictObject({
  text: PatternSchema,
  kinds: v.pipe(v.array(v.picklist(PROBLEM_KINDS)), v.maxLength(PROBLEM_KINDS.length)),
  sources: v.pipe(v.array(v.picklist(SOURCES)), v.maxLength(SOURCES.length)),
});
export type HintWhen = v.InferOutput<typeof HintWhenSchema>;

/**
 * `summary`: what is wrong, in a few words. `inside`: visible only to users with access to all
 * companies, not to customers.
 */
export const hintFields = {
  name: nameText(),
  when: HintWhenSchema,
  summary: v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.noteChars)),
  steps: v.pipe(v.array(text(LIMITS.messageChars)), v.maxLength(20)),
  links: v.pipe(
    v.array(
      v.strictObject({
        name: nameText(),
        address: v.pipe(
          v.string(),
          v.trim(),
          v.maxLength(2_000),
          v.url(),
          v.regex(/^https?:\/\//i),
        ),
      }),
    ),
    v.maxLength(10),
  ),
  inside: v.boolean(),
};
export const HintSchema = withFormerNames(v.strictObject(hintFields), renameHint);
export type HintFields = v.InferOutput<typeof HintSchema>;

export const HintRowSchema = v.object({
  ...hintFields,
  id: v.string(),
  madeBy: storedIdSchema<UserId>(),
  changedAt: v.number(),
  removedAt: v.nullable(v.number()),
});
export type HintRow = v.InferOutput<typeof HintRowSchema>;

export const hintSaved = v.strictObject({
  type: v.literal('hint.saved@1'),
  data: v.strictObject({ id: uuid, ...hintFields }),
});
export const hintDeleted = v.strictObject({
  type: v.literal('hint.deleted@1'),
  data: v.strictObject({ id: uuid }),
});
/**
 * A hint helped with a problem, or somebody withdrew that. `name`: the name of the hint at that
 * time.
 */
export const problemHintRated = v.strictObject({
  type: v.literal('problem.hintRated@1'),
  data: v.strictObject({
    problem: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
    hint: uuid,
    name: hintFields.name,
    helped: v.boolean(),
  }),
});

/** Returns whether the hint has any condition. A hint on every result would be ignored. */
export const hintAsksSomething = ({ text: words, kinds, sources }: HintWhen): boolean =>
  getTexts(words).length + kinds.length + sources.length > 0;
/** Returns whether the hint has any content. */
export const hintTells = ({
  summary,
  steps,
  links,
}: Pick<HintFields, 'summary' | 'steps' | 'links'>): boolean =>
  summary !== '' || steps.length + links.length > 0;

/** The part of a result that hints match. `texts`: its message and its cause. */
export interface HintResult {
  readonly texts: readonly string[];
  readonly kind: ProblemKind;
  readonly source: Source;
}

/** Returns a function that tells whether the hint matches a result. Create it once per hint. */
export function hintMatcher(when: HintWhen): (result: HintResult) => boolean {
  const said = getPattern(when.text);
  const asks = hintAsksSomething(when);
  const { kinds, sources } = when;
  return ({ texts, kind, source }) =>
    asks &&
    (kinds.length === 0 || kinds.includes(kind)) &&
    (sources.length === 0 || sources.includes(source)) &&
    (said === null || texts.some(said));
}

/**
 * Returns the hints that match a result, most specific first: text before kinds before sources, and
 * longer text first.
 */
export const hintsFor = <H extends Pick<HintFields, 'when' | 'name'>>(
  hints: readonly H[],
  result: HintResult,
): readonly H[] =>
  hints
    .filter(({ when }) => hintMatcher(when)(result))
    .toSorted((a, b) => exactness(b.when) - exactness(a.when) || a.name.localeCompare(b.name));

const exactness = ({ text: words, kinds, sources }: HintWhen): number =>
  words.length * 4 + (kinds.length > 0 ? 2 : 0) + (sources.length > 0 ? 1 : 0);
