import { NOBODY } from '#server/platform/auth/nobody.ts';
import { createHmac } from 'node:crypto';
import { QUESTIONS, QUESTIONS_PER_RECOVERY } from '#contract/auth/recovery-questions.ts';
import type { TenantId, UserId } from '#contract/ids.ts';
import { checkPassword } from '../../platform/crypto/passwords.ts';
import type { TenantTx } from '../../platform/db/store.ts';

/** A question and the hash of its answer; null if there is no answer. */
export interface StoredQuestion {
  readonly question: string;
  readonly hash: string | null;
}

/** Returns whether this provider requires security questions before it sends a code. */
export async function asksQuestions({ tenant, sql }: TenantTx): Promise<boolean> {
  const { settings, branding } = await sql
    .selectFrom('provider')
    .select(['settings', 'branding'])
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  return settings.securityQuestions ?? branding.securityQuestions;
}

/**
 * Returns the questions for a name: the user's own, or for any other name three that are derived
 * from it. A name always gets the same questions, so they do not reveal whether the account exists
 * (G36).
 */
export async function loadQuestions(
  { tenant, sql }: TenantTx,
  key: Buffer,
  name: string,
  userId: UserId | undefined,
): Promise<readonly StoredQuestion[]> {
  const stored = await sql
    .selectFrom('security_answer')
    .select(['question', 'hash'])
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId ?? NOBODY)
    .execute();
  if (stored.length === QUESTIONS_PER_RECOVERY)
    return stored.toSorted((a, b) => getQuestionIndex(a.question) - getQuestionIndex(b.question));
  return decoys(key, tenant, name).map((question) => ({ question, hash: null }));
}

/**
 * Compares three answers. An unknown name takes the same work. Returns null if too many comparisons
 * are waiting.
 */
export async function rightAnswers(
  stored: readonly StoredQuestion[],
  input: readonly { readonly question: string; readonly answer: string }[],
): Promise<boolean | null> {
  let right = input.length === stored.length;
  for (const { question, hash } of stored) {
    const answer = input.find((one) => one.question === question)?.answer;
    const checking = checkPassword(answer === undefined ? null : hash, normalAnswer(answer ?? ''));
    if (checking === null) return null;
    right = (await checking) && right;
  }
  return right;
}

/** Normalizes an answer for comparison: case, punctuation and spaces do not matter. */
export const normalAnswer = (answer: string): string =>
  answer
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

function decoys(key: Buffer, tenant: TenantId, name: string): string[] {
  const rank = (question: string): string =>
    createHmac('sha256', key).update(`questions|${tenant}|${name}|${question}`).digest('hex');
  const chosen = QUESTIONS.map((question) => ({ question, rank: rank(question) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, QUESTIONS_PER_RECOVERY);
  return chosen
    .map(({ question }) => question)
    .toSorted((a, b) => getQuestionIndex(a) - getQuestionIndex(b));
}

const getQuestionIndex = (question: string): number =>
  (QUESTIONS as readonly string[]).indexOf(question);
