import type { EventOf } from '../events.ts';
import type { Rows } from '../fold.ts';
import type { ProblemN } from '../ids.ts';

export const getRatingId = (hint: string, problem: ProblemN): string => `${hint}/${problem}`;

export function foldHintRating(
  rows: Rows,
  at: number,
  { data: { hint, problem, helped } }: EventOf<'problem.hintRated@1'>,
): void {
  const id = getRatingId(hint, problem);
  rows.hintRating?.set(id, { id, hint, problem, helped, at });
}
