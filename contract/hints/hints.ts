import * as v from 'valibot';
import type { Ms, UserId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { patternOf, PatternSchema, textsOf } from '../pattern.ts';
import { PROBLEM_KINDS, SOURCES } from '../runs/vocabulary.ts';
import type { ProblemKind, Source } from '../runs/vocabulary.ts';
import { nameText } from '../text-schema.ts';

/**
 * Hints: what to do about a problem that somebody has solved before. Shown beside every result that
 * they match, and counted where they helped.
 */
const uuid = v.pipe(v.string(), v.uuid());
const text = (most: number) => v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(most));

/**
 * All of it must hold, and what is empty holds always. `text` is looked for in the message and in
 * its cause.
 */
export const HintWhenSchema = v.strictObject({
  text: PatternSchema,
  kinds: v.pipe(v.array(v.picklist(PROBLEM_KINDS)), v.maxLength(PROBLEM_KINDS.length)),
  sources: v.pipe(v.array(v.picklist(SOURCES)), v.maxLength(SOURCES.length)),
});
export type HintWhen = v.InferOutput<typeof HintWhenSchema>;

/**
 * `says`: what is the matter, in a few words. `inside`: only for users who see every company, not
 * for customers.
 */
export const hintFields = {
  name: nameText(),
  when: HintWhenSchema,
  says: v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.noteChars)),
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
export const HintSchema = v.strictObject(hintFields);
export type HintFields = v.InferOutput<typeof HintSchema>;

export interface HintRow extends HintFields {
  readonly id: string;
  readonly madeBy: UserId;
  readonly changedAt: Ms;
  readonly removedAt: Ms | null;
}

export const hintSaved = v.strictObject({
  type: v.literal('hint.saved@1'),
  data: v.strictObject({ id: uuid, ...hintFields }),
});
export const hintRemoved = v.strictObject({
  type: v.literal('hint.removed@1'),
  data: v.strictObject({ id: uuid }),
});
/**
 * That it helped with a problem, or that this was said by mistake. `name`: as it was called then.
 */
export const problemHelped = v.strictObject({
  type: v.literal('problem.helped@1'),
  data: v.strictObject({
    problem: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
    hint: uuid,
    name: hintFields.name,
    helped: v.boolean(),
  }),
});

/** Whether it asks anything at all: a hint beside every result would be read by nobody. */
export const hintAsksSomething = ({ text: words, kinds, sources }: HintWhen): boolean =>
  textsOf(words).length + kinds.length + sources.length > 0;
/** Whether it tells anything. */
export const hintTells = ({
  says,
  steps,
  links,
}: Pick<HintFields, 'says' | 'steps' | 'links'>): boolean =>
  says !== '' || steps.length + links.length > 0;

/** A result as hints see it. `texts`: its message and its cause. */
export interface HintResult {
  readonly texts: readonly string[];
  readonly kind: ProblemKind;
  readonly source: Source;
}

/** Whether a hint is shown with a result; made once a hint. */
export function hintMatcher(when: HintWhen): (result: HintResult) => boolean {
  const said = patternOf(when.text);
  const asks = hintAsksSomething(when);
  const { kinds, sources } = when;
  return ({ texts, kind, source }) =>
    asks &&
    (kinds.length === 0 || kinds.includes(kind)) &&
    (sources.length === 0 || sources.includes(source)) &&
    (said === null || texts.some(said));
}

/**
 * Those of `hints` that are shown with a result, the most exact first: by words before kinds before
 * sources, the longer words first.
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
