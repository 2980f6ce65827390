import type { InferOutput } from 'valibot';
import type { Failure } from '#contract/errors.ts';
import type { ChangedSchema } from '#contract/runs/calls.ts';
import type { Result } from '#contract/result.ts';

export type Changed = InferOutput<typeof ChangedSchema>;
export type Verdict =
  | { readonly kind: 'accepted'; readonly changed: Changed }
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** Done or not: only sending it again with the same key will tell (OUT-3). */
  | { readonly kind: 'unknown'; readonly failure: Failure };

/**
 * After this many server errors for one command, minutes apart by then, it is set aside for the
 * user, so that it doesn't block the others (G11).
 */
export const MAX_ERRORS = 12;

export function verdictOn(answer: Result<Changed>, errors: number): Verdict {
  if (answer.ok) return { kind: 'accepted', changed: answer.value };
  const { failure } = answer;
  switch (failure.kind) {
    case 'bad-input':
    case 'forbidden':
    case 'not-found':
    case 'no-such-call':
    case 'conflict':
    case 'too-large':
    case 'key-reused':
    case 'wrong-credentials':
    case 'reauth_required':
    case 'not-by-key':
    case 'not-sent':
      return { kind: 'refused', failure };
    case 'server-error':
      return { kind: errors + 1 >= MAX_ERRORS ? 'refused' : 'unknown', failure };
    case 'signed-out':
    case 'expired':
    case 'out-of-order':
    case 'update-needed':
    case 'too-many':
    case 'busy':
    case 'out-of-space':
    case 'needs-network':
    case 'no-answer':
    case 'storage':
      return { kind: 'unknown', failure };
  }
}
