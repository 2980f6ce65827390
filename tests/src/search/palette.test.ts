import { expect, test } from 'vitest';
import type { Role } from '#contract/abilities.ts';
import { PLAIN_FEATURES } from '#contract/branding/branding.ts';
import type { Features } from '#contract/branding/branding.ts';
import { getMenu } from '#src/app/router/menu.ts';
import { GO_MS, getShortcutStep, GOES } from '#src/app/shell/go-to-shortcuts.ts';
import { fixedLines, matching } from '#src/features/search/palette-items.ts';

test('FRAME-1: G and then a letter in time opens its page; G alone and other letters do nothing', () => {
  for (const [letter, to] of Object.entries(GOES)) {
    expect(getShortcutStep(letter, 1_000, 900)).toEqual({ kind: 'go', to });
    expect(getShortcutStep(letter.toUpperCase(), 1_000, 900)).toEqual({ kind: 'go', to });
    expect(getShortcutStep(letter, 1_000, null)).toEqual({ kind: 'none' });
    expect(getShortcutStep(letter, 1_000 + GO_MS, 900)).toEqual({ kind: 'none' });
  }
  expect(getShortcutStep('g', 5, null)).toEqual({ kind: 'arm' });
  expect(getShortcutStep('g', 5, 4)).toEqual({ kind: 'arm' });
  expect(getShortcutStep('constructor', 5, 4)).toEqual({ kind: 'none' });
});

const words = (roles: readonly Role[], features: Features | null = null): string[] =>
  fixedLines(roles, features)
    .filter(({ group }) => group === 'Pages')
    .map(({ label }) => label);

test('FRAME-2: the palette lists the pages that the roles may open, and every typed word narrows it', () => {
  expect(words(['operator'])).toContain('Daily checks');
  expect(words(['super-admin'])).not.toContain('Daily checks');
  expect(words([])).toEqual([
    'Profile',
    'Notifications',
    'Security',
    'Change password',
    'Subscriptions',
  ]);
  const all: Features = {
    ...PLAIN_FEATURES,
    rules: true,
    hints: true,
    reporting: { enabled: true, visibleFor: ['all'] },
  };
  expect(words(['operator'], all)).toEqual(
    expect.arrayContaining(['Rules', 'SLA', 'Analytics > Trends']),
  );
  for (const features of [all, PLAIN_FEATURES])
    expect(words(['operator'], features)).toEqual(
      getMenu(['operator'], features)
        .flatMap(({ entries }) => entries.map(({ word }) => word))
        .concat('Subscriptions', 'Wallboard'),
    );
  const lines = fixedLines(['operator', 'admin'], null);
  expect(matching(lines, '')).toEqual(lines);
  expect(matching(lines, ' THEME  dark').map(({ label }) => label)).toEqual(['Dark theme']);
  expect(matching(lines, 'snooz')[0]?.label).toBe('Snoozed');
  expect(matching(lines, 'no such thing')).toEqual([]);
});
