import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  COLOUR_NAMES,
  CONTEXT_COLOURS,
  getVerdict,
} from '#src/features/branding/editor/colours.ts';
import { getAccent, getContrast, getSide } from '#src/app/shell/branding/brand-colours.ts';

const NONE = { accent: '', accentDark: '', sidebar: '', sidebarDark: '' };

test('BRAND-6: an illegible color is reported with its contrast and its replacement, and the nearest legible color is offered', () => {
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
    const verdict = getVerdict(name, { ...NONE, [name]: colour });
    expect(verdict.kind).toBe('refused');
    expect(verdict.description).toBe(says);
    const dark = name.endsWith('Dark') ? 'dark' : 'light';
    const { nearest } = verdict;
    expect(nearest).not.toBeNull();
    if (nearest === null) return;
    expect((name.startsWith('side') ? getSide : getAccent)(nearest, dark)).not.toBeNull();
    expect(getVerdict(name, { ...NONE, [name]: nearest })).toMatchObject({
      kind: 'legible',
      nearest: null,
    });
  }
});

test('BRAND-11: the editor accepts and shows blue for a sidebar, but not for an accent', () => {
  expect(getVerdict('sidebar', { ...NONE, sidebar: 'blue' })).toMatchObject({
    kind: 'legible',
    shown: '#1b3256',
    nearest: null,
  });
  expect(getVerdict('sidebarDark', { ...NONE, sidebarDark: 'blue' })).toMatchObject({
    kind: 'legible',
    shown: '#101825',
    nearest: null,
  });
  expect(getVerdict('accent', { ...NONE, accent: 'blue' }).kind).toBe('no-colour');
  expect(getVerdict('sidebar', { ...NONE, sidebar: 'red' }).kind).toBe('no-colour');
});

test('BRAND-6: the displayed contrast is never rounded up to the required one', () => {
  const verdict = getVerdict('accent', { ...NONE, accent: '#777777' });
  const details = Number(/(\d+\.\d):1/.exec(verdict.description)?.[1]);
  expect(details).toBeLessThanOrEqual(getContrast('#777777', CONTEXT_COLOURS.light.sheet));
  expect(verdict.kind).toBe('refused');
});

test('BRAND-6: without a color the default is used, a dark accent is derived from the light one, and an invalid color is reported', () => {
  expect(COLOUR_NAMES.map((name) => getVerdict(name, NONE).kind)).toEqual([
    'none',
    'none',
    'none',
    'none',
  ]);
  const made = getVerdict('accentDark', { ...NONE, accent: '#0a64c8' });
  expect(made.shown === null ? null : getAccent(made.shown, 'dark')).not.toBeNull();
  expect(getVerdict('sidebar', { ...NONE, sidebar: 'navy' })).toMatchObject({
    kind: 'no-colour',
    nearest: null,
  });
});

test("BRAND-6: contrast is measured on the product's colors", () => {
  const [light = '', dark = ''] = readFileSync('src/styles/tokens.css', 'utf8').split(
    /:root\[data-theme='dark'\]/,
  );
  for (const [css, { sheet, sideInk2, accent, side }] of [
    [light, CONTEXT_COLOURS.light],
    [dark, CONTEXT_COLOURS.dark],
  ] as const) {
    expect(css).toContain(`--sheet: ${sheet};`);
    expect(css).toContain(`--side-ink-2: ${sideInk2};`);
    expect(css).toContain(`, ${accent});`);
    expect(css).toContain(`, ${side}));`);
  }
});
