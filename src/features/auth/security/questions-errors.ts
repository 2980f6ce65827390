import type { QUESTIONS } from '#contract/auth/recovery-questions.ts';
import type { Issue } from '#contract/errors.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { ownAccountMessages as t } from './messages.en.ts';

export interface ChosenQuestion {
  readonly question: (typeof QUESTIONS)[number] | '';
  readonly answer: string;
}
/** What is wrong with a row, or null. */
export type RowError = { readonly of: 'question' | 'answer'; readonly sentence: string } | null;

/**
 * Checks the rows before the call: each needs a question and an answer of at least three letters,
 * and no answer may repeat.
 */
export const findAnswerErrors = (rows: readonly ChosenQuestion[]): readonly RowError[] =>
  rows.map(({ question, answer }, at): RowError => {
    if (question === '') return { of: 'question', sentence: t.questionMissing };
    const plain = normalizeAnswer(answer);
    if (Array.from(plain).length < 3) return { of: 'answer', sentence: ACCOUNT.answerTooShort };
    return rows.some((other, place) => place !== at && normalizeAnswer(other.answer) === plain)
      ? { of: 'answer', sentence: ACCOUNT.answerTwice }
      : null;
  });

/** Maps the server's issues to rows, such as `answers.1.question`. */
export function findIssueErrors(issues: readonly Issue[]): readonly RowError[] {
  const found: RowError[] = [null, null, null];
  for (const { path, message } of issues) {
    const [, at, of] = /^answers\.([0-2])\.(question|answer)$/.exec(path) ?? [];
    if (at !== undefined)
      found[Number(at)] ??= { of: of === 'question' ? 'question' : 'answer', sentence: message };
  }
  return found;
}

const normalizeAnswer = (answer: string): string =>
  answer.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
