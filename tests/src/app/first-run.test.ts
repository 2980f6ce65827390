import { expect, test } from 'vitest';
import type { Role } from '#contract/abilities.ts';
import { getCloudStep } from '#src/app/shell/first-run/cloud-step.ts';
import { mayPrompt, mayPromptCloud } from '#src/app/shell/first-run/first-run.ts';
import { getMe, getScene } from '#tests/playground/scene.ts';

const DASHBOARD = '/monitoring/dashboard';
const as = (...roles: Role[]) => ({
  ...getMe({ ...getScene(null), roles }),
  impersonator: null,
  passwordReset: false,
});

test('WIZARD-1: only users who may connect a source are prompted, not while impersonating, and after a required password change', () => {
  const prompted = (
    ['admin', 'read-only', 'operator', 'super-admin', 'o365_admin', 'sub-sp'] as const
  ).filter((role) => mayPrompt(as(role), DASHBOARD, null));
  expect(prompted).toEqual(['admin', 'super-admin']);
  const impersonator = { id: 'a', username: 'ann', name: 'Ann', impersonation: 'i', until: 0 };
  expect([
    mayPrompt({ ...as('admin'), impersonator }, DASHBOARD, null),
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

test('WIZARD-2: only users who manage organizations are prompted on pages of Microsoft 365, and not in its wizards', () => {
  const prompted = (
    ['admin', 'read-only', 'operator', 'super-admin', 'o365_admin', 'sub-sp'] as const
  ).filter((role) => mayPromptCloud(as(role), '/o365/dashboard', null));
  expect(prompted).toEqual(['o365_admin']);
  const me = as('o365_admin');
  const impersonator = { id: 'a', username: 'ann', name: 'Ann', impersonation: 'i', until: 0 };
  expect([
    mayPromptCloud({ ...me, impersonator }, '/o365/jobs', null),
    mayPromptCloud({ ...me, passwordReset: true }, '/o365/jobs', null),
    mayPromptCloud(me, '/o365/jobs', 'u1'),
    mayPromptCloud(me, '/o365/jobs', 'u2'),
  ]).toEqual([false, false, false, true]);
  expect(
    [
      '/o365/organizations',
      '/o365/organizations/new/1',
      '/o365/jobs/2',
      '/monitoring/dashboard',
    ].map((path) => mayPromptCloud(me, path, null)),
  ).toEqual([true, false, false, false]);
});

test('WIZARD-2, VB365-12: first an organization, then a job of the first one that Daybook backs up', () => {
  expect(getCloudStep([], [])?.kind).toBe('organization');
  const engine = 'embedded' as const;
  const two = [
    { id: 'first', engine },
    { id: 'second', engine },
  ];
  expect(getCloudStep(two, [])).toEqual({
    kind: 'job',
    address: '/o365/jobs/1?organization=first',
  });
  expect(getCloudStep(two, [{}])).toBeNull();
  const imported = { id: 'imported', engine: 'vb365' as const };
  expect(getCloudStep([imported], [])).toBeNull();
  expect(getCloudStep([imported, ...two], [])?.address).toBe('/o365/jobs/1?organization=first');
});
