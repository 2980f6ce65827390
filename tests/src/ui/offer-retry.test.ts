import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { STATUS_OF } from '#contract/errors.ts';
import type { Failure } from '#contract/errors.ts';
import { canRetry } from '#src/ui/can-retry.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';

/** Refusals of RFC 9110 that depend on the request alone. */
const FINAL = new Set([400, 403, 404, 409, 413, 422, 426]);
/** What the page itself repeats once the user has signed in again, or the sync in order. */
const REPEATED = new Set(['reauth_required', 'out-of-order']);

test('WORDS-5: a request is offered again only if its status can change without another request', () => {
  for (const [kind, status] of Object.entries(STATUS_OF))
    if (!REPEATED.has(kind))
      expect([kind, canRetry({ kind } as Failure)]).toEqual([kind, !FINAL.has(status)]);
  for (const kind of ['needs-network', 'no-answer', 'not-sent', 'storage'] as const)
    expect(canRetry({ kind })).toBe(true);
});

test('WORDS-5: a refusal for good has no button, and another failure or an unknown one has', () => {
  const offered = [{ kind: 'forbidden' }, { kind: 'no-answer' }, null].map(
    (failure) =>
      offerRetry(failure && ({ ...failure, message: '' } as Failure), () => {}) !== undefined,
  );
  expect(offered).toEqual([false, true, true]);
});

/** Files with a button of their own, and why. */
const OWN = {
  'src/ui/offer-retry.tsx': 'the button itself',
  'src/features/auth/single-sign-on/open-app.tsx': 'asks canRetry, and its button has two labels',
  'src/app/shell/screen-error.tsx': 'a page that crashed is drawn again',
  'src/app/shell/chat/chat-panel.tsx': 'the frame of another site is loaded again',
  'src/app/shell/sync-status/dialog-parts.tsx':
    'a rejected change can be accepted after other changes',
  'src/features/shared/runs/sync-notices.tsx': 'the sync itself is started again',
  'src/features/auth/sign-in/sign-in.tsx': 'says when the next attempt is possible',
};

test('WORDS-5: every button to try again is offered by the kind of the failure', () => {
  const files = globSync('src/**/*.tsx').filter((file) =>
    /\.tryAgain\b/.test(readFileSync(file, 'utf8')),
  );
  expect(files.toSorted()).toEqual(Object.keys(OWN).toSorted());
});

test('WORDS-5: every failure that a toast offers to repeat asks whether that can help', () => {
  const offering = globSync('src/features/**/*.{ts,tsx}').filter((file) => {
    const text = readFileSync(file, 'utf8');
    return /showFailure\([^;]*=>/.test(text) && !text.includes('canRetry(');
  });
  expect(offering).toEqual([]);
});
