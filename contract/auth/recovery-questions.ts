import * as v from 'valibot';

/**
 * The available security questions. The answers alone are not a factor (RECOVER-2). Append
 * only: decoys are derived from the order.
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

/** The number of questions that a user chooses and later answers. */
export const QUESTIONS_PER_RECOVERY = 3;

export const AnswerSchema = v.strictObject({
  question: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  answer: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
});
