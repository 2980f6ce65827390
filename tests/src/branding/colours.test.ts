import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COLOUR_NAMES, GROUND_COLOURS, verdictOf } from '#src/features/branding/editor/colours.ts';
import { accentOf, contrastOf, sideOf } from '#src/app/shell/branding/brand-colours.ts';

const NONE = { accent: '', accentDark: '', sidebar: '', sidebarDark: '' };

test('BRAND-6: a colour that cannot be read is told with its contrast and what stands instead, and the nearest that can be read is offered', () => {
  // Contrasts as a calculator of WCAG 2 gives them; defaults as in tokens.css.
  for (const [name, colour, says] of [
    [
      'accent',
      '#ffd84d',
      'Its contrast on the page is 1.3:1. It needs 4.5:1 on every background, so the portal uses its default, #23509e.',
    ],
    [
      'accentDark',
      '#10203a',
      'Its contrast on the page is 1.0:1. It needs 4.5:1 on every background, so the portal uses its default, #8db1ef.',
    ],
    [
      'sidebar',
      '#f0f0f0',
      'Text on it has a contrast of 1.5:1, below the minimum of 4.5:1. The portal uses its default, #1b3256.',
    ],
    [
      'sidebarDark',
      '#c0c0ff',
      'Text on it has a contrast of 1.3:1, below the minimum of 4.5:1. The portal uses its default, #101825.',
    ],
  ] as const) {
    const verdict = verdictOf(name, { ...NONE, [name]: colour });
    expect(verdict.is).toBe('refused');
    expect(verdict.says).toBe(says);
    const dark = name.endsWith('Dark') ? 'dark' : 'light';
    const { nearest } = verdict;
    expect(nearest).not.toBeNull();
    if (nearest === null) return;
    expect((name.startsWith('side') ? sideOf : accentOf)(nearest, dark)).not.toBeNull();
    expect(verdictOf(name, { ...NONE, [name]: nearest })).toMatchObject({
      is: 'legible',
      nearest: null,
    });
  }
});

test('BRAND-11: the editor takes blue for a sidebar, shows it, and not for an accent', () => {
  expect(verdictOf('sidebar', { ...NONE, sidebar: 'blue' })).toMatchObject({
    is: 'legible',
    shown: '#1b3256',
    nearest: null,
  });
  expect(verdictOf('sidebarDark', { ...NONE, sidebarDark: 'blue' })).toMatchObject({
    is: 'legible',
    shown: '#101825',
    nearest: null,
  });
  expect(verdictOf('accent', { ...NONE, accent: 'blue' }).is).toBe('no-colour');
  expect(verdictOf('sidebar', { ...NONE, sidebar: 'red' }).is).toBe('no-colour');
});

test('BRAND-6: the contrast that is told is never rounded up to what is needed', () => {
  const verdict = verdictOf('accent', { ...NONE, accent: '#777777' });
  const told = Number(/(\d+\.\d):1/.exec(verdict.says)?.[1]);
  expect(told).toBeLessThanOrEqual(contrastOf('#777777', GROUND_COLOURS.light.sheet));
  expect(verdict.is).toBe('refused');
});

test('BRAND-6: no colour is the portal’s own, a dark accent is made of the light one, and what is no colour is told', () => {
  expect(COLOUR_NAMES.map((name) => verdictOf(name, NONE).is)).toEqual([
    'none',
    'none',
    'none',
    'none',
  ]);
  const made = verdictOf('accentDark', { ...NONE, accent: '#0a64c8' });
  expect(made.shown === null ? null : accentOf(made.shown, 'dark')).not.toBeNull();
  expect(verdictOf('sidebar', { ...NONE, sidebar: 'navy' })).toMatchObject({
    is: 'no-colour',
    nearest: null,
  });
});

test('BRAND-6: contrast is measured on the colours of the product', () => {
  const [light = '', dark = ''] = readFileSync('src/styles/tokens.css', 'utf8').split(
    /:root\[data-theme='dark'\]/,
  );
  for (const [css, { sheet, sideInk2, accent, side }] of [
    [light, GROUND_COLOURS.light],
    [dark, GROUND_COLOURS.dark],
  ] as const) {
    expect(css).toContain(`--sheet: ${sheet};`);
    expect(css).toContain(`--side-ink-2: ${sideInk2};`);
    expect(css).toContain(`, ${accent});`);
    expect(css).toContain(`, ${side}));`);
  }
});
