import * as v from 'valibot';

/**
 * What a person can be asked; the answers are no factor by themselves (security.md 6). Their order
 * is part of what decoys are made of: append only.
 */
export const QUESTIONS = [
  'What was the name of your first school?',
  'What was the name of your first pet?',
  'In which town did your parents meet?',
  'What was the make of your first car?',
  'What was the name of the street you grew up in?',
  'What was your favourite dish as a child?',
  'What was the surname of your favourite teacher?',
  'What was the first concert you went to?',
  'In which town was your first job?',
  'What was the name of your best friend at school?',
  'What was the first film you saw at the cinema?',
  'Where did you spend your first holiday?',
] as const;

/** So many are chosen, and so many are asked. */
export const QUESTIONS_ASKED = 3;

export const AnswerSchema = v.strictObject({
  question: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  answer: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
});
