import type { QUESTIONS } from '#contract/auth/recovery-questions.ts';
import { readLabels } from '#contract/i18n/labels.ts';
import { questionMessages } from './questions.messages.en.ts';

const LABELS = readLabels(questionMessages, {
  'What was the name of your first school?': 'firstSchool',
  'What was the name of your first pet?': 'firstPet',
  'In which town did your parents meet?': 'parentsMet',
  'What was the make of your first car?': 'firstCar',
  'What was the name of the street you grew up in?': 'childhoodStreet',
  'What was your favourite dish as a child?': 'favoriteDish',
  'What was the surname of your favourite teacher?': 'favoriteTeacher',
  'What was the first concert you went to?': 'firstConcert',
  'In which town was your first job?': 'firstJob',
  'What was the name of your best friend at school?': 'bestFriend',
  'What was the first film you saw at the cinema?': 'firstMovie',
  'Where did you spend your first holiday?': 'firstVacation',
} satisfies Readonly<Record<(typeof QUESTIONS)[number], keyof typeof questionMessages>>);

/** Returns a security question in the user's language. */
export const questionLabel = (question: string): string =>
  (LABELS as Readonly<Record<string, string>>)[question] ?? question;
