import { expect, test } from 'vitest';
import type { Role } from '#contract/abilities.ts';
import { mayPrompt } from '#src/app/shell/first-run/first-run.ts';
import { meOf, sceneOf } from '#tests/playground/scene.ts';

const DASHBOARD = '/monitoring/dashboard';
const as = (...roles: Role[]) => ({
  ...meOf({ ...sceneOf(null), roles }),
  acting: null,
  passwordReset: false,
});

test('WIZARD-1: only who may connect a source is prompted, in their own name, and not before a flagged password is changed', () => {
  const prompted = (
    ['admin', 'read-only', 'operator', 'super-admin', 'o365_admin', 'sub-sp'] as const
  ).filter((role) => mayPrompt(as(role), DASHBOARD, null));
  expect(prompted).toEqual(['admin', 'super-admin']);
  const acting = { id: 'a', username: 'ann', name: 'Ann', impersonation: 'i', until: 0 };
  expect([
    mayPrompt({ ...as('admin'), acting }, DASHBOARD, null),
    mayPrompt({ ...as('admin'), passwordReset: true }, DASHBOARD, null),
  ]).toEqual([false, false]);
  // Not in the other areas, and not on the page where the step is taken.
  expect(
    ['/monitoring/daily-checks', '/monitoring/sources', '/o365/dashboard', '/admin/dashboard'].map(
      (path) => mayPrompt(as('admin'), path, null),
    ),
  ).toEqual([true, false, false, false]);
  // Dismissed on this browser, by this user or by the one before.
  expect([
    mayPrompt(as('admin'), DASHBOARD, 'u1'),
    mayPrompt(as('admin'), DASHBOARD, 'u2'),
  ]).toEqual([false, true]);
});
